/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** When a window begins, takes rows, and ends. */
@ParameterizedClass
@EnumSource(Backend.class)
class WindowFunctionTest {

    private static final long SECOND = 1000;

    @Parameter Backend backend;

    private Operator start(String arguments, OperatorSubtaskState snapshot) throws Exception {
        return Operator.startWindow(arguments, backend.make(), snapshot);
    }

    @Test
    void itEndsWhenTheWatermarkHasPassedItAndNotBefore() throws Exception {
        try (Operator operator = start("duration => INTERVAL '10' SECOND", null)) {
            operator.at(0, "a", 1, "first", 5 * SECOND);
            operator.at(0, "a", 2, "second", 14 * SECOND);
            operator.at(0, "a", 3, "next", 15 * SECOND);
            operator.watermark(15 * SECOND - 2);
            assertThat(operator.output()).isEmpty();
            operator.watermark(15 * SECOND - 1);
            assertThat(operator.output()).containsExactly("+I a first");
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a next");
        }
    }

    @Test
    void itBeginsWithTheFirstRowInEventTimeNotInArrival() throws Exception {
        try (Operator operator = start("duration => INTERVAL '10' SECOND", null)) {
            operator.at(0, "a", 1, "inside", 12 * SECOND);
            operator.at(0, "a", 2, "behind", 16 * SECOND);
            operator.at(0, "a", 3, "first", 5 * SECOND);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a first", "+I a behind");
        }
    }

    @Test
    void aRowWhoseWindowIsOverIsDropped() throws Exception {
        try (Operator operator = start("duration => INTERVAL '10' SECOND", null)) {
            operator.watermark(30 * SECOND);
            operator.at(0, "a", 1, "over", 20 * SECOND + 1);
            operator.at(0, "b", 2, "not over", 20 * SECOND + 2);
            operator.watermark(30 * SECOND + 1);
            assertThat(operator.output()).containsExactly("+I b not over");
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).isEmpty();
            assertThat(operator.late()).isEqualTo(1);
        }
    }

    /** As long as rows come of which it would take some. */
    @Test
    void aWindowThatWasPutOutIsKnown() throws Exception {
        try (Operator operator = start("duration => INTERVAL '10' SECOND", null)) {
            operator.at(0, "a", 1, "first", 5 * SECOND);
            operator.watermark(16 * SECOND);
            assertThat(operator.output()).containsExactly("+I a first");
            operator.at(0, "a", 2, "inside", 15 * SECOND - 1);
            operator.at(0, "a", 3, "next", 15 * SECOND);
            operator.watermark(24 * SECOND - 1);
            operator.at(0, "a", 4, "inside", 15 * SECOND - 1);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a next");
            assertThat(operator.late()).isEqualTo(2);
        }
    }

    @Test
    void aRowBehindTheWatermarkGoesIntoTheOpenWindow() throws Exception {
        try (Operator operator = start("keep => 'last', inactivity => INTERVAL '4' SECOND", null)) {
            operator.at(0, "a", 1, "first", 10 * SECOND);
            operator.watermark(13 * SECOND);
            operator.at(0, "a", 2, "last", 13 * SECOND);
            operator.at(0, "a", 3, "between", 11 * SECOND);
            operator.at(0, "a", 4, "before", 6 * SECOND + 1);
            operator.watermark(17 * SECOND - 2);
            assertThat(operator.output()).isEmpty();
            operator.watermark(17 * SECOND - 1);
            assertThat(operator.output()).containsExactly("+I a last");
            assertThat(operator.duplicates()).isEqualTo(3);
            assertThat(operator.late()).isZero();
        }
    }

    @Test
    void theBestRowOfAWindowMayComeBehindTheWatermark() throws Exception {
        try (Operator operator =
                start("sequence_by => DESCRIPTOR(seq), duration => INTERVAL '10' SECOND", null)) {
            operator.at(0, "a", 3, "three", 10 * SECOND);
            operator.watermark(13 * SECOND);
            operator.at(0, "a", 3, "an equal one", 11 * SECOND);
            operator.at(0, "a", 2, "two", 12 * SECOND);
            operator.at(0, "a", 2, "an equal one", 11 * SECOND);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a two");
        }
    }

    @Test
    void silenceEndsItAndALengthTooWhicheverComesFirst() throws Exception {
        try (Operator operator =
                start(
                        "keep => 'last', duration => INTERVAL '10' SECOND, inactivity => INTERVAL"
                                + " '4' SECOND",
                        null)) {
            for (int second : new int[] {0, 3, 6, 9, 12, 20}) {
                operator.at(0, "a", second, "at " + second, second * SECOND);
            }
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a at 9", "+I a at 12", "+I a at 20");
        }
    }

    @Test
    void aRestoreGoesOnWithOpenWindowsAndRowsThatWait() throws Exception {
        OperatorSubtaskState snapshot;
        try (Operator operator = start("duration => INTERVAL '10' SECOND", null)) {
            operator.at(0, "a", 1, "first", 5 * SECOND);
            operator.watermark(6 * SECOND);
            operator.at(0, "a", 2, "waits", 15 * SECOND);
            assertThat(operator.output()).isEmpty();
            snapshot = operator.snapshot(1);
        }
        try (Operator operator = start("duration => INTERVAL '10' SECOND", snapshot)) {
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a first", "+I a waits");
        }
    }

    @Test
    void otherLengthsAtARestoreHoldForOpenWindowsToo() throws Exception {
        OperatorSubtaskState snapshot;
        try (Operator operator = start("duration => INTERVAL '10' SECOND", null)) {
            operator.at(0, "a", 1, "first", 5 * SECOND);
            operator.watermark(6 * SECOND);
            snapshot = operator.snapshot(1);
        }
        try (Operator longer = start("duration => INTERVAL '20' SECOND", snapshot)) {
            longer.at(0, "a", 2, "inside", 24 * SECOND);
            longer.watermark(24 * SECOND);
            assertThat(longer.output()).isEmpty();
            longer.watermark(25 * SECOND);
            assertThat(longer.output()).containsExactly("+I a first");
        }
        try (Operator shorter = start("duration => INTERVAL '2' SECOND", snapshot)) {
            shorter.at(0, "a", 2, "behind", 8 * SECOND);
            shorter.watermark(8 * SECOND);
            assertThat(shorter.output()).containsExactly("+I a first");
            shorter.watermark(Long.MAX_VALUE);
            assertThat(shorter.output()).containsExactly("+I a behind");
        }
    }
}
