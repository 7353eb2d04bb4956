/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TopicsTest {

    private static final long WINDOW = Duration.ofHours(1).toMillis();
    private static final long START = Instant.parse("2024-05-01T00:00:00Z").toEpochMilli();
    private static final long YEAR = Duration.ofDays(365).toMillis();
    private static final int RECORDS = 3_000;

    @Test
    void theSameSeedGivesTheSame() {
        Topics one = topics(3);
        Topics other = topics(3);
        assertThat(one.arrivals()).isEqualTo(other.arrivals());
        assertThat(one.arrivals()).isNotEqualTo(topics(4).arrivals());
        for (int i = 0; i <= one.arrivals().size(); i++) {
            assertThat(one.watermarkAfter(i)).isEqualTo(other.watermarkAfter(i));
        }
    }

    @Test
    void eachPartitionArrivesInItsOrder() {
        for (int seed = 0; seed < 30; seed++) {
            Topics topics = topics(seed);
            List<List<Occurrence>> arrived = new ArrayList<>();
            topics.partitions().forEach(partition -> arrived.add(new ArrayList<>()));
            topics.arrivals().forEach(record -> arrived.get(record.partition()).add(record));
            assertThat(arrived).isEqualTo(topics.partitions());
            assertThat(topics.arrivals().stream().mapToInt(Occurrence::number).sorted())
                    .hasSizeBetween(RECORDS, RECORDS + 10)
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void noRecordIsBehindTheWatermark() {
        for (int seed = 0; seed < 30; seed++) {
            Topics topics = topics(seed);
            for (int i = 0; i < topics.arrivals().size(); i++) {
                assertThat(topics.arrivals().get(i).time()).isGreaterThan(topics.watermarkAfter(i));
                assertThat(topics.watermarkAfter(i + 1))
                        .isGreaterThanOrEqualTo(topics.watermarkAfter(i));
            }
        }
    }

    @Test
    void idsComeAgainAtEachDistanceAndPartitionsRunApart() {
        Set<String> seen = new HashSet<>();
        for (int seed = 0; seed < 30; seed++) {
            Topics topics = topics(seed);
            distances(topics, seen);
            long newest = START;
            for (int i = 0; i < topics.arrivals().size(); i++) {
                Occurrence record = topics.arrivals().get(i);
                boolean wild = record.time() > START + YEAR;
                newest = wild ? newest : Math.max(newest, record.time());
                seen.add(wild ? "wild" : "believable");
                if (newest - record.time() > 40 * WINDOW) {
                    seen.add("days apart");
                }
                if (record.time() - topics.watermarkAfter(i) > 2 * WINDOW
                        && topics.watermarkAfter(i) > START + 2 * WINDOW) {
                    seen.add("watermark behind");
                }
            }
        }
        assertThat(seen)
                .containsExactlyInAnyOrder(
                        "copy",
                        "copy in another partition",
                        "inside",
                        "at",
                        "outside",
                        "far",
                        "wild",
                        "believable",
                        "days apart",
                        "watermark behind");
    }

    private static void distances(Topics topics, Set<String> seen) {
        Map<Long, Occurrence> last = new HashMap<>();
        List<Occurrence> sorted = new ArrayList<>(topics.arrivals());
        sorted.sort(Comparator.comparingLong(Occurrence::time));
        for (Occurrence record : sorted) {
            Occurrence before = last.put(record.id(), record);
            if (before != null) {
                seen.add(distance(before, record));
            }
        }
    }

    private static String distance(Occurrence before, Occurrence record) {
        long apart = record.time() - before.time();
        if (apart == 0) {
            return before.partition() == record.partition() ? "copy" : "copy in another partition";
        }
        if (apart <= WINDOW) {
            return apart == WINDOW ? "at" : "inside";
        }
        return apart == WINDOW + 1 ? "outside" : "far";
    }

    /** A model that keeps the times of all that passed meets the rule on all of them. */
    @Test
    void anExactDeduplicationMeetsTheCriterion() {
        for (int seed = 0; seed < 30; seed++) {
            Topics topics = topics(seed);
            Map<Long, List<Long>> times = new HashMap<>();
            BitSet passed = new BitSet();
            for (Occurrence record : topics.arrivals()) {
                List<Long> ofId = times.computeIfAbsent(record.id(), id -> new ArrayList<>());
                if (ofId.stream().noneMatch(time -> Math.abs(time - record.time()) <= WINDOW)) {
                    ofId.add(record.time());
                    passed.set(record.number());
                }
            }
            Criterion.exact(WINDOW).judge(topics.arrivals(), passed).require();
            passed.flip(topics.arrivals().get(seed).number());
            assertThat(Criterion.exact(WINDOW).judge(topics.arrivals(), passed).holds()).isFalse();
        }
    }

    private static Topics topics(int seed) {
        return Topics.random(new SplittableRandom(Seeds.seed(seed)), WINDOW, START, RECORDS);
    }
}
