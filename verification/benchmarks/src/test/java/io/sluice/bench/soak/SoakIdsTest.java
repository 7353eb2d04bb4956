/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.soak.SoakIds.Kind;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SoakIdsTest {
    private static final long RECORDS = 20_000;

    @ParameterizedTest
    @CsvSource({"900,2500", "7,1000", "500,0"})
    void theKindOfARecordIsWhatAnExactModelSays(long range, long comeback) {
        SoakIds ids = new SoakIds(1, range, comeback);
        Map<Long, Long> born = new HashMap<>();
        for (long number = 0; number < RECORDS; number++) {
            long id = ids.id(number);
            Long before = born.get(id);
            switch (ids.kind(number)) {
                case FIRST -> assertThat(before).as("%d", number).isNull();
                // 2 records more: a repeat steps over another one.
                case REPEAT -> assertThat(number - before).isBetween(1L, range + 2);
                case COMEBACK -> assertThat(number - before).isEqualTo(comeback + 5);
            }
            if (ids.kind(number) != Kind.REPEAT) {
                born.put(id, number);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"900,2500", "7,1000", "500,0"})
    void theCountsOfKindsAreThoseOfTheRecords(long range, long comeback) {
        SoakIds ids = new SoakIds(1, range, comeback);
        Map<Kind, Long> counts = new EnumMap<>(Kind.class);
        for (long number = 0; number < RECORDS; number++) {
            for (Kind kind : Kind.values()) {
                assertThat(ids.count(kind, number))
                        .as("%s below %d", kind, number)
                        .isEqualTo(counts.getOrDefault(kind, 0L));
            }
            counts.merge(ids.kind(number), 1L, Long::sum);
        }
    }
}
