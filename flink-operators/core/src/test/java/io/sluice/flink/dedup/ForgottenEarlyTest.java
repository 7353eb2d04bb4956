/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.Backends;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What an operator does about ids that it had no memory for, or that had left a shorter window:
 * what may pass twice is counted, or found in exact state, and new ids are dropped no more often.
 */
class ForgottenEarlyTest {

    private static final int MEBIBYTE = 1 << 20;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private Subtasks<Long, Long, Long> stream = DeduplicateFixture.subtasks(1, Backends.HASHMAP);

    ForgottenEarlyTest() {
        fixture.overflow = OverflowPolicy.FORGET_OLDEST;
        fixture.shadowIds = 0;
        fixture.memory = MemorySize.ofMebiBytes(1);
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private long process(long from, long to, long time) throws Exception {
        long passed = 0;
        for (long id = from; id < to; id++) {
            passed += stream.process(id, time).size();
        }
        return passed;
    }

    @Test
    void verificationFindsTheCopiesOfLateIdsThatTheFilterHadNoRoomFor() throws Exception {
        long window = 80_000;
        long clock = 10 * window;
        fixture.window = Duration.ofMillis(window);
        stream.processingTime(clock);
        stream.start(1, fixture.verified());
        stream.watermark(clock);
        process(10_000_000, 10_045_000, clock + 1);
        long late = 300_000;
        for (long id = 0; id < late; id++) {
            assertThat(stream.process(id, clock - window - 1 - id % 100)).hasSize(1);
        }
        assertThat(stream.gaugeSum(DeduplicateMetrics.OVERFLOWS)).isGreaterThan(late / 2);

        assertThat(process(late - 30_000, late, clock - window / 2)).isZero();
    }

    /** After a restore beyond the cap, it has no room for late ids at all. */
    @Test
    void verificationFindsTheCopiesOfLateIdsAfterScalingIn() throws Exception {
        long window = 10_000;
        fixture.window = Duration.ofMillis(window);
        fixture.fpp = 1e-6;
        fixture.idsPerSecond = 100_000;
        stream.close();
        stream = DeduplicateFixture.subtasks(32, Backends.HASHMAP);
        stream.start(8, fixture.verified());
        long next = 0;
        for (; next < 700_000; next++) {
            stream.process(next, next / 70);
        }
        stream.watermark(window);
        stream.snapshot();
        stream.start(1, fixture.verified());
        stream.watermark(window);

        for (long id = -1_000; id < 0; id++) {
            assertThat(stream.process(id, -1)).hasSize(1);
            assertThat(stream.process(id, window - 5)).as("%d again", id).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatALongerWindowMayLetPassTwiceIsCounted(boolean verified) throws Exception {
        Supplier<OneInputStreamOperator<Long, Long>> operator =
                verified ? fixture.verified() : fixture.filter();
        stream.start(1, operator);
        for (long id = 0; id < 1_000; id++) {
            stream.process(id, id);
            stream.watermark(id);
        }
        stream.watermark(5_000);
        stream.snapshot();
        fixture.window = Duration.ofSeconds(100);
        stream.start(1, operator);

        assertThat(process(0, 1_000, 5_000)).isEqualTo(1_000);
        assertThat(stream.counter(DeduplicateMetrics.UNDECIDED)).isEqualTo(1_000);
        stream.watermark(200_000);
        assertThat(process(2_000, 3_000, 200_000)).isEqualTo(1_000);
        assertThat(stream.counter(DeduplicateMetrics.UNDECIDED))
                .as("when the longer window is covered")
                .isEqualTo(1_000);
    }

    /** Ids of 600,000 of the shorter windows are held. */
    @ParameterizedTest
    @CsvSource({"1, 0.01", "1, 0.0001", "10, 0.01", "10, 0.000001", "100, 0.01"})
    void aWindowThatIsMadeManyTimesLongerDropsNoMoreNewIdsThanMayBe(long window, double fpp)
            throws Exception {
        fixture.window = Duration.ofMillis(window);
        fixture.fpp = fpp;
        fixture.memory = MemorySize.ofMebiBytes(64);
        stream.processingTime(3_600_000);
        stream.start(1, fixture.filter());
        long held = 600_000;
        for (long id = 0; id < held; id++) {
            stream.process(id, id);
        }
        stream.snapshot();
        fixture.window = Duration.ofMinutes(10);
        stream.start(1, fixture.filter());

        long twice = 0;
        for (long id = 0; id < held / 2; id += 100) {
            twice += stream.process(id, id + 250_000).size();
        }
        assertThat(stream.counter(DeduplicateMetrics.UNDECIDED)).isGreaterThanOrEqualTo(twice);
        int count = 20_000;
        long passed = 0;
        for (long id = 1_000_000; id < 1_000_000 + count; id++) {
            passed += stream.process(id, 300_000 + id % 1_000).size();
        }
        double most = 10 * fpp * count;
        assertThat((double) count - passed).isLessThan(most + 5 * Math.sqrt(most) + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void theCapHoldsAWindowAfterARestoreThatExceededIt(int before) throws Exception {
        fixture.fpp = 1e-6;
        fixture.idsPerSecond = 10_000_000;
        fixture.memory = MemorySize.ofMebiBytes(before == 1 ? 8 : 1);
        stream.close();
        stream = DeduplicateFixture.subtasks(32, Backends.HASHMAP);
        stream.start(before, fixture.filter());
        long next = inOrder(0, 3_000_000);
        stream.snapshot();
        fixture.memory = MemorySize.ofMebiBytes(1);
        stream.start(1, fixture.filter());
        assertThat(stream.gaugeSum("bytes")).isGreaterThan(3 * MEBIBYTE);

        inOrder(next, 3_000_000);
        stream.processingTime(10_000);

        assertThat(stream.gaugeSum("bytes")).isLessThanOrEqualTo(MEBIBYTE);
    }

    private long inOrder(long from, long count) throws Exception {
        long next = from;
        for (; next < from + count; next++) {
            stream.process(next, next / 1_000);
            if (next % 10_000 == 0) {
                stream.watermark(next / 1_000 - 10);
            }
        }
        return next;
    }

    /** Slices then come and go in no order, which the formulas for a full table do not know. */
    @ParameterizedTest
    @CsvSource({"0.003, 0.003", "0.001, 0.001", "0.003, 0.006", "0.25, 0.5"})
    void noMoreNewIdsAreDroppedThanMayBeWhateverTheOrderOfTheirTimes(double fpp, double maxFpp)
            throws Exception {
        fixture.window = Duration.ofHours(1);
        fixture.fpp = fpp;
        fixture.maxFpp = maxFpp;
        fixture.idsPerSecond = 10_000;
        stream.close();
        stream = DeduplicateFixture.subtasks(16, Backends.HASHMAP);
        stream.processingTime(1L << 45);
        stream.start(1, fixture.filter());
        SplittableRandom random = new SplittableRandom(1);
        long spread = Duration.ofHours(30).toMillis();
        long passed = 0;
        long warmUp = 1_000_000;
        long counted = 1_000_000;
        for (long id = 0; id < warmUp + counted; id++) {
            int out = stream.process(id, id * 20 + random.nextLong(spread)).size();
            passed += id < warmUp ? 0 : out;
        }
        assertThat(stream.gaugeSum(DeduplicateMetrics.OVERFLOWS)).isPositive();
        assertThat((double) (counted - passed)).isLessThan(1.05 * maxFpp * counted);
    }
}
