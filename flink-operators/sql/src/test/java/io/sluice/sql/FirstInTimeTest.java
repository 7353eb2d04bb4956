/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code DEDUPLICATE_KEEP_FIRST} in event time. */
@ParameterizedClass
@EnumSource(Backend.class)
class FirstInTimeTest {

    private static final long HOUR = 3_600_000;

    @Parameter Backend backend;

    private Operator start(String arguments, OperatorSubtaskState snapshot) throws Exception {
        return Operator.start(
                "DEDUPLICATE_KEEP_FIRST(input => TABLE records PARTITION BY id" + arguments + ")",
                backend.make(),
                snapshot);
    }

    @Test
    void theSmallestTimeIsTheFirstOnceTheWatermarkHasPassedIt() throws Exception {
        try (Operator operator = start(", on_time => DESCRIPTOR(`at`)", null)) {
            operator.at(0, "a", 1, "second", 2000);
            operator.at(0, "a", 2, "first", 1000);
            operator.at(0, "a", 3, "third", 3000);
            operator.watermark(999);
            assertThat(operator.output()).isEmpty();
            operator.watermark(1000);
            assertThat(operator.output()).containsExactly("+I a first");
            operator.at(0, "a", 4, "duplicate", 5000);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).isEmpty();
        }
    }

    /** The times of one key do not touch those of another, where one row replaces another. */
    @Test
    void ofEqualTimesItIsTheFirstToArrive() throws Exception {
        try (Operator operator = start(", on_time => DESCRIPTOR(`at`)", null)) {
            operator.at(0, "a", 1, "later", 2000);
            operator.at(0, "b", 2, "first", 2000);
            operator.at(0, "a", 3, "first", 1000);
            operator.at(0, "b", 4, "second", 2000);
            operator.at(0, "a", 5, "second", 1000);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a first", "+I b first");
        }
    }

    /** It is not lost: no other row of its key has come out. */
    @Test
    void aRowBehindTheWatermarkComesOutAtOnce() throws Exception {
        try (Operator operator = start(", on_time => DESCRIPTOR(`at`)", null)) {
            operator.watermark(1000);
            operator.at(0, "a", 1, "late", 1000);
            assertThat(operator.output()).containsExactly("+I a late");
            operator.at(0, "a", 2, "duplicate", 1001);
            operator.at(0, "a", 3, "duplicate", 999);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).isEmpty();
            assertThat(operator.late()).isEqualTo(1);
            assertThat(operator.duplicates()).isEqualTo(2);
        }
    }

    @Test
    void behindTheWatermarkItStillComesBeforeARowThatWaits() throws Exception {
        try (Operator operator = start(", on_time => DESCRIPTOR(`at`)", null)) {
            operator.watermark(1000);
            operator.at(0, "a", 1, "waits", 2000);
            operator.at(0, "a", 2, "first", 500);
            assertThat(operator.output()).containsExactly("+I a first");
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).isEmpty();
        }
    }

    /** A row that waits is not lost to a time-to-live, and the key is known from then on. */
    @Test
    void theTimeToLiveBeginsWhenTheRowComesOut() throws Exception {
        try (Operator operator =
                start(", on_time => DESCRIPTOR(`at`), state_ttl => INTERVAL '2' HOUR", null)) {
            operator.at(0, "a", 1, "first", 1000);
            operator.at(HOUR * 10, "a", 2, "duplicate", 2000);
            operator.watermark(3000);
            assertThat(operator.output()).containsExactly("+I a first");
            operator.at(HOUR * 11, "a", 3, "duplicate", 4000);
            operator.at(HOUR * 15, "a", 4, "new again", 5000);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a new again");
        }
    }

    @Test
    void aRestoreGoesOnWithRowsThatWait() throws Exception {
        OperatorSubtaskState snapshot;
        try (Operator operator = start(", on_time => DESCRIPTOR(`at`)", null)) {
            operator.at(0, "a", 1, "first", 1000);
            operator.watermark(1000);
            operator.at(0, "b", 2, "waits", 2000);
            snapshot = operator.snapshot(1);
        }
        try (Operator operator = start(", on_time => DESCRIPTOR(`at`)", snapshot)) {
            operator.at(0, "a", 3, "duplicate", 3000);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I b waits");
        }
    }

    @Test
    void withoutATimeItIsTheFirstToArrive() throws Exception {
        OperatorSubtaskState snapshot;
        try (Operator operator = start("", null)) {
            operator.at(0, "a", 1, "first", 2000);
            operator.at(0, "a", 2, "duplicate", 1000);
            assertThat(operator.output()).containsExactly("+I a first");
            snapshot = operator.snapshot(1);
        }
        try (Operator operator = start(", on_time => DESCRIPTOR(`at`)", snapshot)) {
            operator.at(0, "a", 3, "duplicate", 3000);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).isEmpty();
        }
    }
}
