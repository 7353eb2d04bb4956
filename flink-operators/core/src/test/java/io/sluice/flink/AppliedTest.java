/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.testkit.Applied;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

/** Operators that users test. */
class AppliedTest {

    private final DataStream<String> ids =
            StreamExecutionEnvironment.createLocalEnvironment().fromData("a");

    private static Deduplicate<String, String> deduplicate() {
        return Deduplicate.by((String id) -> id).uid("ids").within(Duration.ofHours(1));
    }

    @Test
    void anOperatorWithOneInputIsGiven() {
        assertThat(Applied.of(Types.STRING, deduplicate().apply(ids)).get()).isNotNull();
    }

    @Test
    void oneWithASecondInputIsRefusedWithTheFix() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Applied.of(Types.STRING, deduplicate().alsoSeen(ids).apply(ids)))
                .withMessageContaining("Deduplicate: ids")
                .withMessageContaining("without alsoSeen");
    }
}
