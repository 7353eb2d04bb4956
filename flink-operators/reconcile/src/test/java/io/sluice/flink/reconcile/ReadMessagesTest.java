/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.reconcile.element.GroupKeys;
import io.sluice.flink.reconcile.message.MessageFormat;
import io.sluice.flink.reconcile.message.Setup;
import io.sluice.flink.testkit.Subtasks;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.streaming.api.operators.StreamFlatMap;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Anything other than a message of the peer is counted, by reason, and does not fail the job. */
class ReadMessagesTest {

    private static final Setup SETUP = GoldenMessages.SETTINGS.setup();
    private static final Setup OTHER = new Setup(1000, 128, 2, 0);

    private final Map<String, Metric> metrics = new HashMap<>();
    private MockEnvironment environment;
    private OneInputStreamOperatorTestHarness<byte[], Tuple2<Integer, byte[]>> harness;

    @BeforeEach
    void start() throws Exception {
        environment = Subtasks.environment(1, 1, 0, metrics);
        harness =
                new OneInputStreamOperatorTestHarness<>(
                        new StreamFlatMap<>(new ReadMessages(GoldenMessages.SETTINGS)),
                        environment);
    }

    @AfterEach
    void stop() throws Exception {
        harness.close();
        environment.close();
    }

    @Test
    void refusalsAreCountedByReasonAndMessagesPassWithTheKeyOfTheirGroup() throws Exception {
        byte[] good = MessageFormat.write(GoldenMessages.digest("west", SETUP));
        byte[] damaged = good.clone();
        damaged[50]++;
        harness.open();
        harness.processElement(damaged, 0);
        harness.processElement(new byte[0], 0);
        harness.processElement(MessagesTest.ofVersion(9, good), 0);
        harness.processElement(MessageFormat.write(GoldenMessages.digest("west", OTHER)), 0);
        harness.processElement(MessageFormat.write(GoldenMessages.digest("east", SETUP)), 0);
        harness.processElement(MessageFormat.write(GoldenMessages.digest("north", SETUP)), 0);
        harness.processElement(good, 0);

        assertThat(harness.extractOutputValues())
                .singleElement()
                .satisfies(
                        message -> {
                            assertThat(message.f0)
                                    .isEqualTo(
                                            GroupKeys.of(SETUP.groups())[
                                                    GoldenMessages.digest().head().group()]);
                            assertThat(message.f1).isEqualTo(good);
                        });
        assertThat(count(Refusal.DAMAGED)).isEqualTo(2);
        assertThat(count(Refusal.VERSION)).isEqualTo(1);
        assertThat(count(Refusal.FOREIGN)).isEqualTo(1);
        assertThat(count(Refusal.OWN)).isEqualTo(1);
        assertThat(count(Refusal.STRANGER)).isEqualTo(1);
    }

    private long count(Refusal why) {
        return ((Counter) metrics.get(why.metric())).getCount();
    }
}
