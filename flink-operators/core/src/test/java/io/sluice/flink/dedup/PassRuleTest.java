/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.filter.Seeds;
import io.sluice.flink.Backends;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits, and windows that duplicates begin again, against exact models. */
class PassRuleTest {
    private static final long WINDOW = 7_000;
    private static final long DISORDER = 500;

    /** Beyond this an id is surely new again: a window and a slice. */
    private static final long LONGEST = WINDOW + WINDOW / 8;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private Subtasks<Long, Long, Long> stream = DeduplicateFixture.subtasks(1, Backends.HASHMAP);

    PassRuleTest() {
        fixture.window = Duration.ofMillis(WINDOW);
        fixture.onLate = OnLate.sideOutput(DeduplicateFixture.LATE);
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private boolean passes(long id, long time) throws Exception {
        return !stream.process(id, time).isEmpty();
    }

    @Test
    void rangesAndCombinationsAreChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PassRule(65, false))
                .withMessageContaining("limit must be at least 1 and at most 64, but is 65");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PassRule(0, false))
                .withMessageContaining("but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PassRule(2, true))
                .withMessageContaining("limit(2) and resetOnDuplicate exclude each other");
        fixture.fpp = 1e-12;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PassRule(2, false).settings(fixture.settings()))
                .withMessageContaining("limit(2) divides falsePositiveProbability");
        assertThat(new PassRule(4, false).settings(fixture.settings().withFpp(1e-6)).fpp())
                .isEqualTo(2.5e-7);
    }

    @Test
    void asManyAsTheLimitPassAndAPlaceIsFreeAgainWhenItsWindowHasPassed() throws Exception {
        fixture.rule = new PassRule(3, false);
        stream.start(1, fixture.filter());
        for (long now = 0; now <= 4_000; now += 2_000) {
            stream.watermark(now);
            assertThat(passes(1, now)).isTrue();
        }
        for (int i = 0; i < 100; i++) {
            assertThat(passes(1, 4_000 + i)).isFalse();
        }
        assertThat(passes(2, 4_000)).as("another id").isTrue();
        stream.watermark(WINDOW);
        assertThat(passes(1, WINDOW)).isFalse();
        stream.watermark(WINDOW + 1_500);
        assertThat(passes(1, WINDOW + 1_500)).as("the first is out of the window").isTrue();
        assertThat(passes(1, WINDOW + 1_500)).as("the second is not").isFalse();
    }

    /** Records out of order, restarts from checkpoints, one key group or many. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 64})
    void neverMoreThanTheLimitPassAndNoneIsDroppedBeforeThat(int limit) throws Exception {
        long seed = Seeds.seed(limit);
        SplittableRandom random = new SplittableRandom(seed);
        int keyGroups = random.nextBoolean() ? 3 : 40;
        stream = DeduplicateFixture.subtasks(keyGroups, Backends.HASHMAP);
        fixture.rule = new PassRule(limit, false);
        stream.start(1, fixture.filter());
        Map<Long, List<Long>> passed = new HashMap<>();
        long watermark = 0;
        int full = 0;
        int again = 0;
        for (long now = 0; now < 8 * WINDOW; now += random.nextInt(3)) {
            long mark = now - DISORDER;
            if (mark > watermark) {
                watermark = mark;
                stream.watermark(watermark);
            }
            if (random.nextInt(2_000) == 0) {
                stream.snapshot();
                stream.start(1 + random.nextInt(3), fixture.filter());
                stream.watermark(watermark);
            }
            long id = (long) (1_000 * Math.pow(random.nextDouble(), 3));
            long time = now - random.nextLong(DISORDER);
            List<Long> times = passed.computeIfAbsent(id, unused -> new ArrayList<>());
            String what = "id " + id + " at " + now + " with -Dtest.seed=" + seed;
            if (passes(id, time)) {
                again += within(times, time - WINDOW, time + WINDOW) < times.size() ? 1 : 0;
                times.add(time);
                for (long start : times) {
                    assertThat(within(times, start, start + WINDOW))
                            .as(what)
                            .isLessThanOrEqualTo(limit);
                }
            } else {
                assertThat(within(times, time - LONGEST, time + LONGEST))
                        .as(what)
                        .isGreaterThanOrEqualTo(limit);
                full++;
            }
        }
        assertThat(full).isGreaterThan(1_000);
        assertThat(again).isGreaterThan(100);
    }

    private static int within(List<Long> times, long first, long last) {
        return (int) times.stream().filter(time -> time >= first && time <= last).count();
    }

    @Test
    void anotherLimitAtARestoreLooksAtMoreOrFewerOfTheSamePlaces() throws Exception {
        stream.start(1, fixture.filter());
        assertThat(passes(1, 0)).isTrue();
        stream.snapshot();
        fixture.rule = new PassRule(3, false);
        stream.start(1, fixture.filter());
        assertThat(passes(1, 1)).isTrue();
        assertThat(passes(1, 2)).isTrue();
        assertThat(passes(1, 3)).isFalse();
        stream.snapshot();
        fixture.rule = new PassRule(2, false);
        stream.start(1, fixture.filter());
        assertThat(passes(1, 4)).isFalse();
        assertThat(passes(2, 4)).isTrue();
    }

    @Test
    void aLateRecordIsLateUnlessAllPlacesAreTaken() throws Exception {
        fixture.rule = new PassRule(2, false);
        stream.start(1, fixture.filter());
        stream.watermark(100 * WINDOW);
        assertThat(passes(1, 0)).isFalse();
        assertThat(stream.sideOutput(DeduplicateFixture.LATE)).containsExactly(1L);
        assertThat(passes(1, 99 * WINDOW)).isTrue();
        assertThat(passes(1, 99 * WINDOW)).isTrue();
        assertThat(passes(1, 99 * WINDOW - 1)).as("late, but within the window").isFalse();
        assertThat(stream.sideOutput(DeduplicateFixture.LATE)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anIdIsForgottenWhenItHasNotComeForTheWindow(boolean eventTime) throws Exception {
        fixture.rule = new PassRule(1, true);
        fixture.timeDomain = eventTime ? TimeDomain.EVENT : TimeDomain.PROCESSING;
        stream.start(1, fixture.filter());
        assertThat(passes(1, 0)).isTrue();
        assertThat(passes(2, 0)).isTrue();
        for (long now = 100; now <= 5 * WINDOW; now += 100) {
            to(now, eventTime);
            assertThat(passes(1, now)).as("at %d", now).isFalse();
        }
        assertThat(passes(2, 5 * WINDOW)).as("did not come").isTrue();
        to(5 * WINDOW + LONGEST, eventTime);
        assertThat(passes(1, 5 * WINDOW + LONGEST)).isTrue();
        assertThat(stream.gaugeSum(DeduplicateMetrics.WATCHED_MISSED)).isZero();
        assertThat(stream.gaugeSum(DeduplicateMetrics.WATCHED_DROPPED)).isZero();
        assertThat(stream.gaugeSum(DeduplicateMetrics.IDS_HELD))
                .as("once for each slice")
                .isLessThanOrEqualTo(16 + 3);
    }

    private void to(long now, boolean eventTime) throws Exception {
        if (eventTime) {
            stream.watermark(now);
        } else {
            stream.processingTime(now);
        }
    }

    @Test
    void renewedIdsSurviveARestoreWithTheirNewTimes() throws Exception {
        fixture.rule = new PassRule(1, true);
        stream.start(1, fixture.filter());
        assertThat(passes(1, 0)).isTrue();
        stream.watermark(WINDOW - 1);
        assertThat(passes(1, WINDOW - 1)).isFalse();
        stream.snapshot();
        stream.start(1, fixture.filter());
        stream.watermark(2 * WINDOW - 1);
        assertThat(passes(1, 2 * WINDOW - 1)).isFalse();
    }

    @Test
    void inStateADuplicateRenewsTheTimeToLive() throws Exception {
        fixture.rule = new PassRule(1, true);
        fixture.timeDomain = TimeDomain.PROCESSING;
        stream.start(1, fixture.inState());
        assertThat(passes(1, 0)).isTrue();
        for (long now = 1; now <= 3 * WINDOW; now += WINDOW - 1) {
            stream.processingTime(now);
            assertThat(passes(1, 0)).isFalse();
        }
    }

    /** What the sorted operator passes of one id at these times, in event time. */
    @SuppressWarnings("try") // close() may throw InterruptedException
    private List<Long> sorted(PassRule rule, long... times) throws Exception {
        fixture.rule = rule;
        try (var harness =
                new KeyedOneInputStreamOperatorTestHarness<Long, Long, Long>(
                        fixture.sorted().get(), id -> id, Types.LONG, 1, 1, 0)) {
            harness.open();
            for (long id = 1; id <= 2; id++) {
                for (long time : times) {
                    harness.processElement(id, time);
                }
            }
            List<Long> passed = new ArrayList<>();
            harness.getOutput()
                    .forEach(element -> passed.add(((StreamRecord<?>) element).getTimestamp()));
            return passed;
        }
    }

    @Test
    void inBatchExecutionTheRuleIsExact() throws Exception {
        assertThat(sorted(new PassRule(2, false), 0, 1, WINDOW, WINDOW + 1, WINDOW + 2))
                .containsExactly(0L, 1L, WINDOW + 1, WINDOW + 2, 0L, 1L, WINDOW + 1, WINDOW + 2);
        assertThat(sorted(new PassRule(1, true), 0, WINDOW, 2 * WINDOW, 3 * WINDOW + 1))
                .containsExactly(0L, 3 * WINDOW + 1, 0L, 3 * WINDOW + 1);
        assertThat(sorted(PassRule.FIRST, 0, WINDOW, 2 * WINDOW))
                .containsExactly(0L, 2 * WINDOW, 0L, 2 * WINDOW);
    }
}
