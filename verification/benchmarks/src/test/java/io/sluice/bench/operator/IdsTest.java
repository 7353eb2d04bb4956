/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.apache.flink.api.common.functions.OpenContext;
import org.junit.jupiter.api.Test;

class IdsTest {
    private static final OpenContext CONTEXT = new OpenContext() {};
    private static final int RECORDS = 500_000;
    private static final Ids IDS = Ids.ofAll(RECORDS, 2);

    @Test
    void oneRecordInTenRepeatsAnEarlierId() {
        Ids.OfLong ids = new Ids.OfLong(IDS);
        ids.open(CONTEXT);
        Set<Long> seen = new HashSet<>();
        for (long i = 0; i < RECORDS; i++) {
            assertThat(seen.add(ids.map(i))).as("record %d is new", i).isEqualTo(i % 10 != 9);
        }
        assertThat((long) seen.size()).isEqualTo(Ids.distinct(RECORDS));
    }

    /** Otherwise duplicates are in a cache, whatever the structure. */
    @Test
    void duplicatesComeFromTheWholeRangeAndNoFurther() {
        int range = 50_000;
        Ids ids = new Ids(RECORDS / 2, range);
        long beyondHalf = 0;
        for (long i = 9; i < RECORDS; i += 10) {
            long distance = i - ids.number(i);
            assertThat(distance).isBetween(1L, Math.min(range, i % (RECORDS / 2)));
            beyondHalf += distance > range / 2 ? 1 : 0;
        }
        assertThat(beyondHalf).isBetween(15_000L, 25_000L);
    }

    @Test
    void stringsLookLikeUuidsAndAreAsDistinct() {
        Ids.OfString ids = new Ids.OfString(IDS);
        ids.open(CONTEXT);
        Set<String> seen = new HashSet<>();
        for (long i = 0; i < RECORDS; i++) {
            seen.add(ids.map(i));
        }
        assertThat((long) seen.size()).isEqualTo(Ids.distinct(RECORDS));
        assertThat(seen.iterator().next())
                .matches("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    }
}
