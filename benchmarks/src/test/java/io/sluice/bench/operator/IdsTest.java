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

    @Test
    void oneRecordInTenRepeatsAnEarlierId() {
        Ids.OfLong ids = new Ids.OfLong();
        ids.open(CONTEXT);
        Set<Long> seen = new HashSet<>();
        for (long i = 0; i < RECORDS; i++) {
            assertThat(seen.add(ids.map(i))).as("record %d is new", i).isEqualTo(i % 10 != 9);
        }
        assertThat((long) seen.size()).isEqualTo(Ids.distinct(RECORDS));
    }

    @Test
    void stringsLookLikeUuidsAndAreAsDistinct() {
        Ids.OfString ids = new Ids.OfString();
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
