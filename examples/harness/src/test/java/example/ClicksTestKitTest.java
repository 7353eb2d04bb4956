/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.Applied;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

/** The same with Sluice's test kit, which also rescales. */
class ClicksTestKitTest {

    @Test
    void aClickPassesOnceAlsoAtAnotherParallelism() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Applied<String, String> once =
                Applied.of(
                        Types.STRING,
                        ClicksJob.clicksOnce()
                                .batch(1, Duration.ofMillis(1)) // decides each record at once
                                .apply(env.fromData("any")));
        try (Subtasks<Object, String, String> subtasks = once.start(2)) {
            assertThat(subtasks.process("a", 1_000)).containsExactly("a");
            assertThat(subtasks.process("a", 2_000)).isEmpty();

            subtasks.snapshot();
            subtasks.start(3, once);
            assertThat(subtasks.process("a", 3_000)).isEmpty();
            assertThat(subtasks.process("b", 3_000)).containsExactly("b");
        }
    }
}
