/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.seen;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Criterion;
import io.sluice.filter.Criterion.Twice;
import io.sluice.filter.Occurrence;
import io.sluice.filter.Seeds;
import io.sluice.filter.Topics;
import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.quotient.QuotientFilter;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Views of filters in a program of one's own, without Flink and without a watermark: the filter's
 * clock follows the keys' times.
 */
class OwnTimesTest {
    private static final long WINDOW = 3_600_000;
    private static final long START = 1_700_000_000_000L;
    private static final int RECORDS = 3_000;
    private static final int RUNS = 40;
    private static final int MANY_RUNS = 2_000;
    private static final double FPP = 1e-9;

    @Test
    void anyTopicIsJudgedByItsOwnTimes() {
        judge(RUNS);
    }

    @Test
    @Tag("long")
    void manyTopicsAreJudgedByTheirOwnTimes() {
        judge(MANY_RUNS);
    }

    private static void judge(int runs) {
        for (int i = 0; i < runs; i++) {
            long seed = Seeds.seed(i);
            SplittableRandom random = new SplittableRandom(seed);
            try {
                judge(Topics.random(random, WINDOW, START, RECORDS).arrivals());
            } catch (AssertionError e) {
                throw new AssertionError(Seeds.describe(seed), e);
            }
        }
    }

    /** A key passes again within its window only if the filter said that it is not covered. */
    private static void judge(List<Occurrence> arrivals) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW)
                        .falsePositiveProbability(FPP)
                        .maxFutureMillis(1L << 50)
                        .build();
        ForgetfulFilter filter =
                ForgetfulFilter.create(options, new MemoryBudget(256 << 20), Long.MIN_VALUE);
        SeenWithin<Long> seen = SeenWithin.in(filter, Funnel.longs());
        BitSet passed = new BitSet();
        long[] covered = new long[arrivals.size()];
        int[] arrivedAt = new int[arrivals.size()];
        for (int i = 0; i < arrivals.size(); i++) {
            Occurrence next = arrivals.get(i);
            arrivedAt[next.number()] = i;
            passed.set(next.number(), seen.add(next.id(), next.time()));
            covered[i] = filter.coveredSince();
            long clock = filter.clock();
            assertThat(covered[i])
                    .isLessThanOrEqualTo(clock == Long.MIN_VALUE ? clock : clock - WINDOW);
        }

        assertThat(filter.overflows()).isZero();
        Criterion.Verdict verdict = Criterion.ofFilters(WINDOW).judge(arrivals, passed);
        assertThat(verdict.lost()).isEmpty();
        for (Twice twice : verdict.twice()) {
            int second =
                    Math.max(
                            arrivedAt[twice.earlier().number()], arrivedAt[twice.later().number()]);
            assertThat(twice.earlier().time()).as("%s", twice).isLessThan(covered[second]);
        }
    }

    /** Jitter of many windows is what lets a clock run ahead. */
    @Test
    void aKeyThatComesBackAfterItsWindowIsNewWhateverTheJitter() {
        SplittableRandom random = Seeds.random();
        for (long jitter : new long[] {0, WINDOW / 8, WINDOW, 20 * WINDOW}) {
            WindowOptions options =
                    WindowOptions.builder()
                            .windowMillis(WINDOW)
                            .falsePositiveProbability(FPP)
                            .build();
            ForgetfulFilter filter =
                    ForgetfulFilter.create(options, new MemoryBudget(256 << 20), START);
            SeenWithin<String> seen = SeenWithin.in(filter, Funnel.strings());
            long slice = (WINDOW + 7) / 8;
            for (int i = 0; i < 20_000; i++) {
                long time = START + i * WINDOW / 1_000;
                String sensor = "sensor " + i % 50;
                boolean reports = i / 50 % 23 == 0;
                if (reports) {
                    // 1.15 windows after its last.
                    assertThat(seen.add(sensor, time)).as("%s at %d", sensor, time).isTrue();
                }
                seen.add("other " + i, time + random.nextLong(jitter + 1));
            }
            assertThat(23 * 50 * WINDOW / 1_000).isGreaterThan(WINDOW + slice);
        }
    }

    @Test
    void withoutAWindowOneOfEachKeyPasses() {
        for (int i = 0; i < RUNS; i++) {
            List<Occurrence> arrivals =
                    Topics.random(new SplittableRandom(Seeds.seed(i)), WINDOW, START, RECORDS)
                            .arrivals();
            Seen<Long> seen =
                    Seen.in(QuotientFilter.builder().sized(RECORDS, FPP).build(), Funnel.longs());
            BitSet passed = new BitSet();
            for (Occurrence next : arrivals) {
                passed.set(next.number(), seen.add(next.id()));
            }
            Criterion.exact(Long.MAX_VALUE).judge(arrivals, passed).require();
        }
    }
}
