/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A restore begins the watermark anew, and the windows that it brings back are open. What comes
 * before the first watermark goes where it would have gone without the restore.
 */
@ParameterizedClass
@EnumSource(Backend.class)
class WindowAfterRestoreTest {

    private static final long SECOND = 1000;

    @Parameter Backend backend;

    private Operator start(String arguments, OperatorSubtaskState snapshot) throws Exception {
        return Operator.startWindow(arguments, backend.make(), snapshot);
    }

    /** A window with rows at 10 and 13 seconds is open. */
    private OperatorSubtaskState withAnOpenWindow(String arguments) throws Exception {
        try (Operator operator = start(arguments, null)) {
            operator.at(0, "a", 5, "at 10", 10 * SECOND);
            operator.at(0, "a", 6, "at 13", 13 * SECOND);
            operator.watermark(13 * SECOND);
            assertThat(operator.output()).isEmpty();
            return operator.snapshot(1);
        }
    }

    @Test
    void aRowBeforeAWindowThatEndsBySilenceDoesNotEndItEarlier() throws Exception {
        String arguments = "keep => 'last', inactivity => INTERVAL '4' SECOND";
        try (Operator operator = start(arguments, withAnOpenWindow(arguments))) {
            operator.at(0, "a", 7, "before it", 9 * SECOND);
            operator.at(0, "a", 8, "inside", 11 * SECOND);
            operator.at(0, "a", 9, "at 16", 16 * SECOND);
            operator.watermark(20 * SECOND - 2);
            assertThat(operator.output()).isEmpty();
            operator.watermark(20 * SECOND - 1);
            assertThat(operator.output()).containsExactly("+I a at 16");
            assertThat(operator.duplicates()).isEqualTo(3);
        }
    }

    @Test
    void aRowBeforeAWindowIsNotItsLastOne() throws Exception {
        String arguments = "keep => 'last', duration => INTERVAL '10' SECOND";
        try (Operator operator = start(arguments, withAnOpenWindow(arguments))) {
            operator.at(0, "a", 7, "far before it", -100 * SECOND);
            operator.at(0, "a", 8, "before it", 9 * SECOND);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a at 13");
            assertThat(operator.late()).isEqualTo(1);
            assertThat(operator.duplicates()).isEqualTo(1);
        }
    }

    /** Its window is the one that is open, though it does not begin that anew. */
    @Test
    void itMayBeItsBestOne() throws Exception {
        String arguments =
                "sequence_by => DESCRIPTOR(seq), duration => INTERVAL '10' SECOND, inactivity =>"
                        + " INTERVAL '4' SECOND";
        try (Operator operator = start(arguments, withAnOpenWindow(arguments))) {
            operator.at(0, "a", 1, "before it", 9 * SECOND);
            operator.at(0, "a", 4, "at 14", 14 * SECOND);
            operator.watermark(18 * SECOND - 2);
            assertThat(operator.output()).isEmpty();
            operator.watermark(18 * SECOND - 1);
            assertThat(operator.output()).containsExactly("+I a before it");
        }
    }

    @Test
    void aWindowThatWasPutOutIsKnown() throws Exception {
        String arguments = "duration => INTERVAL '10' SECOND";
        OperatorSubtaskState snapshot;
        try (Operator operator = start(arguments, null)) {
            operator.at(0, "a", 1, "first", 5 * SECOND);
            operator.watermark(20 * SECOND);
            assertThat(operator.output()).containsExactly("+I a first");
            snapshot = operator.snapshot(1);
        }
        try (Operator operator = start(arguments, snapshot)) {
            operator.at(0, "a", 2, "inside", 14 * SECOND);
            operator.at(0, "a", 3, "behind", 15 * SECOND);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a behind");
        }
    }

    /** A key without a window has nothing by which a row could be known as late. */
    @Test
    void aKeyWithoutAWindowTakesAnyRow() throws Exception {
        String arguments = "duration => INTERVAL '10' SECOND";
        try (Operator operator = start(arguments, withAnOpenWindow(arguments))) {
            operator.at(0, "b", 1, "before it", 9 * SECOND);
            operator.watermark(19 * SECOND);
            assertThat(operator.output()).containsExactly("+I b before it");
            assertThat(operator.late()).isZero();
        }
    }
}
