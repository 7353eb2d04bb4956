/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the metrics {@code duplicates} and {@code late} say, and what one wild time does. */
class CountersTest {

    private static final long SECOND = 1000;
    private static final long TEN_YEARS = 10 * 365 * 86_400 * SECOND;

    private static Operator start(String function, String arguments) throws Exception {
        return Operator.start(
                function + "(input => TABLE records PARTITION BY id" + arguments + ")",
                Backend.HASHMAP.make(),
                null);
    }

    @Test
    void ofDeduplicate() throws Exception {
        for (String arguments :
                new String[] {
                    "", ", keep => 'last'", ", keep => 'last', sequence_by => DESCRIPTOR(seq)"
                }) {
            try (Operator operator = start("DEDUPLICATE", arguments)) {
                operator.at(0, "a", 3, "first", 0);
                operator.at(0, "a", 2, "duplicate", 0);
                operator.at(0, "b", 2, "first", 0);
                operator.at(0, "a", 4, "duplicate", 0);
                assertThat(operator.duplicates()).isEqualTo(2);
            }
        }
    }

    @Test
    void ofTheFirstInEventTime() throws Exception {
        try (Operator operator = start("DEDUPLICATE_KEEP_FIRST", ", on_time => DESCRIPTOR(`at`)")) {
            operator.at(0, "a", 1, "second", 2 * SECOND);
            operator.at(0, "a", 2, "first", SECOND);
            operator.at(0, "a", 3, "third", 3 * SECOND);
            operator.watermark(5 * SECOND);
            operator.at(0, "a", 4, "behind it, and known", SECOND);
            operator.at(0, "b", 5, "late", 5 * SECOND);
            operator.at(0, "b", 6, "behind it, and known", 4 * SECOND);
            operator.at(0, "b", 7, "duplicate", 6 * SECOND);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a first", "+I b late");
            assertThat(operator.late()).isEqualTo(1);
            assertThat(operator.duplicates()).isEqualTo(5);
        }
    }

    @Test
    void ofWindows() throws Exception {
        try (Operator operator = window()) {
            operator.at(0, "a", 1, "first", SECOND);
            operator.at(0, "a", 2, "same time", SECOND);
            operator.at(0, "a", 3, "same window", 2 * SECOND);
            operator.at(0, "a", 4, "next window", 20 * SECOND);
            operator.watermark(12 * SECOND);
            operator.at(0, "a", 5, "late", 3 * SECOND);
            operator.at(0, "b", 6, "late", 2 * SECOND);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a first", "+I a next window");
            assertThat(operator.late()).isEqualTo(2);
            assertThat(operator.duplicates()).isEqualTo(2);
        }
    }

    /** It waits, and ends no window; nothing is late before the watermark itself has come. */
    @Test
    void oneRowFarAheadHarmsNoOther() throws Exception {
        try (Operator operator = window()) {
            operator.at(0, "wild", 1, "far ahead", TEN_YEARS);
            operator.at(0, "a", 2, "far ahead too", TEN_YEARS);
            operator.at(0, "a", 3, "first", SECOND);
            operator.at(0, "a", 4, "second", 2 * SECOND);
            operator.at(0, "wild", 5, "as others", SECOND);
            operator.watermark(20 * SECOND);
            assertThat(operator.output())
                    .containsExactlyInAnyOrder("+I a first", "+I wild as others");
            operator.at(0, "b", 6, "not late", 21 * SECOND);
            operator.watermark(40 * SECOND);
            assertThat(operator.output()).containsExactly("+I b not late");
            assertThat(operator.late()).isZero();
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output())
                    .containsExactlyInAnyOrder("+I wild far ahead", "+I a far ahead too");
        }
        try (Operator operator = start("DEDUPLICATE_KEEP_FIRST", ", on_time => DESCRIPTOR(`at`)")) {
            operator.at(0, "wild", 1, "far ahead", TEN_YEARS);
            operator.at(0, "a", 2, "first", SECOND);
            operator.watermark(20 * SECOND);
            assertThat(operator.output()).containsExactly("+I a first");
            assertThat(operator.late()).isZero();
        }
    }

    @Test
    void theLeastAndTheGreatestTimeAreTimesLikeOthers() throws Exception {
        try (Operator operator = window()) {
            operator.at(0, "a", 1, "least", Long.MIN_VALUE);
            operator.at(0, "a", 2, "zero", 0);
            operator.at(0, "a", 3, "greatest", Long.MAX_VALUE);
            operator.watermark(20 * SECOND);
            assertThat(operator.output()).containsExactly("+I a least", "+I a zero");
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a greatest");
        }
        try (Operator operator = start("DEDUPLICATE_KEEP_FIRST", ", on_time => DESCRIPTOR(`at`)")) {
            operator.at(0, "a", 2, "zero", 0);
            operator.at(0, "a", 1, "least", Long.MIN_VALUE);
            operator.at(0, "b", 3, "greatest", Long.MAX_VALUE);
            operator.watermark(Long.MAX_VALUE);
            assertThat(operator.output()).containsExactly("+I a least", "+I b greatest");
        }
    }

    private static Operator window() throws Exception {
        return start(
                "DEDUPLICATE_WINDOW",
                ", on_time => DESCRIPTOR(`at`), duration => INTERVAL '10' SECOND");
    }
}
