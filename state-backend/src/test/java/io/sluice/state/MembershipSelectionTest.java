/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.testutils.logging.LoggerAuditingExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.event.Level;

/** Which states are approximate when nothing is configured. */
class MembershipSelectionTest {

    @TempDir Path directory;

    @RegisterExtension
    final LoggerAuditingExtension log =
            new LoggerAuditingExtension(CascadeKeyedStateBackend.class, Level.INFO);

    private Subtask<Long> start() throws Exception {
        return new Subtask<>(
                Subtask.stateBackend("hashmap"),
                LongSerializer.INSTANCE,
                Subtask.MAX_PARALLELISM,
                directory,
                List.of());
    }

    private static boolean isApproximate(ValueState<?> state) {
        return state instanceof AbstractMembershipState;
    }

    /** The names are those of Flink 2.3; the third is a trigger's, which also says "not seen". */
    @ParameterizedTest
    @CsvSource({
        "deduplicate-state, true",
        "already-emitted-state-boolean, true",
        "eventTime-afterEOW, false",
        "seen, false"
    })
    void onlyTheFlagsOfKeepFirstAreApproximateByDefault(String name, boolean expected)
            throws Exception {
        try (Subtask<Long> task = start()) {
            ValueState<Boolean> state = task.state(new ValueStateDescriptor<>(name, Types.BOOLEAN));
            assertThat(isApproximate(state)).isEqualTo(expected);
        }
        try (Subtask<Long> task = start()) {
            ValueStateDescriptor<Boolean> lasting = new ValueStateDescriptor<>(name, Types.BOOLEAN);
            lasting.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(1)).build());
            task.state(lasting);
            task.checkpoint(1, new SharedStateRegistryImpl());
            // With a time-to-live the state is wrapped; the log tells which it is.
            assertThat(says()).isEqualTo(expected ? 0 : 1);
        }
    }

    /** Keep-last has a state of the same name, with rows in it. */
    @Test
    void aStateOfRowsIsExactWhateverItsName() throws Exception {
        try (Subtask<Long> task = start()) {
            assertThat(
                            isApproximate(
                                    task.state(
                                            new ValueStateDescriptor<>(
                                                    "deduplicate-state",
                                                    Types.ROW(Types.LONG, Types.STRING)))))
                    .isFalse();
        }
    }

    @Test
    void aJobThatTheBackendDoesNothingForHearsOfItOnce() throws Exception {
        try (Subtask<Long> task = start()) {
            task.state(new ValueStateDescriptor<>("count", Types.LONG));
            for (long checkpoint = 1; checkpoint <= 3; checkpoint++) {
                task.checkpoint(checkpoint, new SharedStateRegistryImpl());
            }
        }
        assertThat(says()).isEqualTo(1);
    }

    private long says() {
        return log.getMessages().stream()
                .filter(message -> message.startsWith("No state of this operator is kept in"))
                .filter(message -> message.contains(CascadeBackendOptions.STATES.key()))
                .count();
    }
}
