/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code DEDUPLICATE_KEEP_FIRST} restored with {@code on_time} added or dropped. */
@ParameterizedClass
@EnumSource(Backend.class)
class OnTimeChangedTest {

    private static final String IN_TIME = ", on_time => DESCRIPTOR(`at`)";
    private static final String BY_ARRIVAL = "";

    @Parameter Backend backend;

    private final SharedStateRegistry shared = new SharedStateRegistryImpl();

    private Operator start(String arguments, OperatorSubtaskState snapshot) throws Exception {
        return Operator.start(
                "DEDUPLICATE_KEEP_FIRST(input => TABLE records PARTITION BY id" + arguments + ")",
                backend.make(),
                snapshot);
    }

    /** As a JobManager does: a checkpoint may refer to files of the one before. */
    private OperatorSubtaskState kept(OperatorSubtaskState snapshot, long id) {
        snapshot.registerSharedStates(shared, id);
        return snapshot;
    }

    @Test
    void addedItLeavesKnownKeysKnown() throws Exception {
        OperatorSubtaskState snapshot;
        try (Operator operator = start(BY_ARRIVAL, null)) {
            operator.at(0, "a", 1, "first", 2000);
            snapshot = operator.snapshot(1);
        }
        try (Operator operator = start(IN_TIME, snapshot)) {
            operator.at(0, "a", 2, "duplicate", 1000);
            operator.at(0, "b", 3, "second", 2000);
            operator.at(0, "b", 4, "first", 1000);
            operator.watermark(3000);
            assertThat(operator.output()).containsExactly("+I b first");
            assertThat(operator.duplicates()).isEqualTo(2);
        }
    }

    @Test
    void droppedItLosesNoRowThatWaits() throws Exception {
        OperatorSubtaskState snapshot;
        try (Operator operator = start(IN_TIME, null)) {
            operator.at(0, "a", 1, "known", 1000);
            operator.watermark(1000);
            operator.at(0, "b", 2, "waits", 2000);
            operator.at(0, "c", 3, "waits too", 3000);
            snapshot = operator.snapshot(1);
        }
        try (Operator operator = start(BY_ARRIVAL, snapshot)) {
            operator.at(0, "a", 4, "duplicate", 5000);
            operator.at(0, "c", 5, "has come", 4000);
            assertThat(operator.output()).containsExactly("+I c has come");
            operator.watermark(1999);
            assertThat(operator.output()).isEmpty();
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I b waits");
            operator.at(0, "b", 6, "duplicate", 6000);
            assertThat(operator.output()).isEmpty();
            assertThat(operator.duplicates()).isEqualTo(3);
        }
    }

    /** Its key has come meanwhile, so it is a duplicate. */
    @Test
    void whatWaitedDoesNotComeOutTwice() throws Exception {
        OperatorSubtaskState snapshot;
        try (Operator operator = start(IN_TIME, null)) {
            operator.at(0, "b", 2, "waits", 2000);
            snapshot = kept(operator.snapshot(1), 1);
        }
        try (Operator operator = start(BY_ARRIVAL, snapshot)) {
            operator.at(0, "b", 3, "by arrival", 1000);
            assertThat(operator.output()).containsExactly("+I b by arrival");
            snapshot = kept(operator.snapshot(2), 2);
        }
        try (Operator operator = start(IN_TIME, snapshot)) {
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).isEmpty();
        }
    }

    @Test
    void droppedAndAddedAgainItLosesNoneEither() throws Exception {
        OperatorSubtaskState snapshot;
        try (Operator operator = start(IN_TIME, null)) {
            operator.at(0, "b", 2, "waits", 2000);
            snapshot = kept(operator.snapshot(1), 1);
        }
        try (Operator operator = start(BY_ARRIVAL, snapshot)) {
            operator.at(0, "c", 3, "by arrival", 1000);
            assertThat(operator.output()).containsExactly("+I c by arrival");
            snapshot = kept(operator.snapshot(2), 2);
        }
        try (Operator operator = start(IN_TIME, snapshot)) {
            operator.at(0, "b", 4, "before it", 1500);
            operator.at(0, "c", 5, "duplicate", 1500);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I b before it");
        }
    }
}
