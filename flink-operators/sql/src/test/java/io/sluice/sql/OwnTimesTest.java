/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Criterion;
import io.sluice.filter.Occurrence;
import io.sluice.filter.Seeds;
import io.sluice.filter.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the functions in event time put out is decided by the times of the rows, wherever the
 * watermark is: far behind in a backlog, held back by a partition, or ahead of some rows.
 */
@ParameterizedClass
@EnumSource(Backend.class)
class OwnTimesTest {

    private static final int RUNS = 6;
    private static final int RECORDS = 1_500;
    private static final long WINDOW = Duration.ofHours(1).toMillis();
    private static final long START = Instant.parse("2024-05-01T00:00:00Z").toEpochMilli();
    private static final String HOURS = "duration => INTERVAL '1' HOUR";

    /** In a window of an hour, times that are an hour apart are in two windows. */
    private static final Criterion ONE_A_WINDOW = Criterion.exact(WINDOW - 1);

    private static final Criterion ONE_EVER = Criterion.exact(Long.MAX_VALUE);

    @Parameter Backend backend;

    /** Which rows came out, where the watermark is so far ahead of where it should be. */
    private BitSet run(Operator operator, Topics topics, long ahead) throws Exception {
        BitSet passed = new BitSet();
        long watermark = Long.MIN_VALUE;
        int arrived = 0;
        for (Occurrence record : topics.arrivals()) {
            String text = String.valueOf(record.number());
            operator.at(0, "id-" + record.id(), record.number(), text, record.time());
            long next = topics.watermarkAfter(++arrived);
            if (next > watermark) {
                watermark = next;
                operator.watermark(watermark + ahead);
            }
        }
        operator.watermark(Long.MAX_VALUE);
        for (String row : operator.output()) {
            int number = Integer.parseInt(row.substring(row.lastIndexOf(' ') + 1));
            assertThat(passed.get(number)).as(row).isFalse();
            passed.set(number);
        }
        return passed;
    }

    private static Topics topics(int run) {
        return Topics.random(new SplittableRandom(Seeds.seed(run)), WINDOW, START, RECORDS);
    }

    private Operator firstInTime() throws Exception {
        return Operator.start(
                "DEDUPLICATE_KEEP_FIRST(input => TABLE records PARTITION BY id, on_time =>"
                        + " DESCRIPTOR(`at`))",
                backend.make(),
                null);
    }

    /** The last distance is the greatest at which the window of no row is over when it comes. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 1_800_000, 3_600_000 - 1})
    void oneRowOfEachWindowComesOutAndNoneIsLost(long ahead) throws Exception {
        for (int i = 0; i < RUNS; i++) {
            try (Operator operator = Operator.startWindow(HOURS, backend.make(), null)) {
                Topics topics = topics(i);
                BitSet passed = run(operator, topics, ahead);
                ONE_A_WINDOW.judge(topics.arrivals(), passed).require();
            }
        }
    }

    /** More than a window behind the watermark rows are lost, but none comes out twice. */
    @Test
    void noneOfAWindowComesOutTwiceHoweverLateItIs() throws Exception {
        for (int i = 0; i < RUNS; i++) {
            try (Operator operator = Operator.startWindow(HOURS, backend.make(), null)) {
                Topics topics = topics(i);
                BitSet passed = run(operator, topics, 2 * WINDOW);
                Criterion.Verdict verdict = ONE_A_WINDOW.judge(topics.arrivals(), passed);
                assertThat(verdict.twice()).isEmpty();
                assertThat((long) verdict.lost().size()).isLessThanOrEqualTo(operator.late());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 3_600_000, 1_000_000_000})
    void oneRowOfEachKeyComesOutWhereverTheWatermarkIs(long ahead) throws Exception {
        for (int i = 0; i < RUNS; i++) {
            try (Operator operator = firstInTime()) {
                Topics topics = topics(i);
                BitSet passed = run(operator, topics, ahead);
                ONE_EVER.judge(topics.arrivals(), passed).require();
            }
        }
    }

    @Test
    void itIsTheFirstByItsTimeUnlessOneComesBehindTheWatermark() throws Exception {
        for (int i = 0; i < RUNS; i++) {
            try (Operator operator = firstInTime()) {
                Topics topics = topics(i);
                BitSet passed = run(operator, topics, 0);
                Map<Long, Long> least = new HashMap<>();
                topics.arrivals()
                        .forEach(record -> least.merge(record.id(), record.time(), Math::min));
                assertThat(topics.arrivals())
                        .filteredOn(record -> passed.get(record.number()))
                        .hasSameSizeAs(least.keySet())
                        .allMatch(record -> record.time() == least.get(record.id()));
                assertThat(operator.late()).isZero();
            }
        }
    }
}
