/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/** The operator in Flink's own harness. */
class ClicksHarnessTest {

    private static final long WINDOW = Duration.ofMinutes(10).toMillis();

    @Test
    void aClickPassesOnceInTheWindow() throws Exception {
        try (var harness = harness()) {
            harness.open();
            harness.processElement("a", 1_000);
            harness.processElement("b", 2_000);
            harness.processElement("a", 3_000);
            assertThat(harness.extractOutputValues()).containsExactly("a", "b");

            // A slice, an eighth of the window, after the window it is forgotten at the latest.
            long later = 1_000 + WINDOW + WINDOW / 8 + 1;
            harness.processWatermark(later);
            harness.processElement("a", later + 1);
            assertThat(harness.extractOutputValues()).containsExactly("a", "b", "a");
        }
    }

    @Test
    void aRestoreForgetsNothing() throws Exception {
        OperatorSubtaskState snapshot;
        try (var harness = harness()) {
            harness.open();
            harness.processElement("a", 1_000);
            snapshot = harness.snapshot(1, 1);
        }
        try (var harness = harness()) {
            harness.initializeState(snapshot);
            harness.open();
            harness.processElement("a", 2_000);
            harness.processElement("b", 2_000);
            assertThat(harness.extractOutputValues()).containsExactly("b");
        }
    }

    /** The operator that the job added to the stream, and the key by which it gets its records. */
    @SuppressWarnings("unchecked")
    private static KeyedOneInputStreamOperatorTestHarness<Object, String, String> harness()
            throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        var added =
                (OneInputTransformation<String, String>)
                        ClicksJob.clicksOnce()
                                .batch(1, Duration.ofMillis(1)) // decides each record at once
                                .apply(env.fromData("any"))
                                .getTransformation();
        var harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        added.getOperatorFactory(),
                        (KeySelector<String, Object>) added.getStateKeySelector(),
                        (TypeInformation<Object>) added.getStateKeyType());
        harness.setup(Types.STRING.createSerializer(env.getConfig().getSerializerConfig()));
        return harness;
    }
}
