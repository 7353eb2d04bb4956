/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.Backends;
import io.sluice.flink.CheckpointFolder;
import io.sluice.flink.testkit.Subtasks;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A tenth of the needed memory, with the fewest and the most key groups possible. */
class OverloadAtTheEdgesTest {

    private static final long WINDOW = 10_000;
    private static final double FPP = 1e-3;

    /** No new id may be dropped more often than this. */
    private static final double MOST = 10 * FPP;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private Subtasks<Long, Long, Long> stream;

    @TempDir private Path folder;
    private long next;
    private long dropped;

    @AfterEach
    void close() throws Exception {
        if (stream != null) {
            stream.close();
        }
    }

    private void aTenthOfTheNeed(int maxParallelism, int subtasks) {
        fixture.window = Duration.ofMillis(WINDOW);
        fixture.fpp = FPP;
        fixture.shadowIds = 0;
        fixture.overflow = OverflowPolicy.FORGET_OLDEST;
        fixture.memory = MemorySize.ofMebiBytes(1);
        long need = 0;
        for (fixture.idsPerSecond = 1_000; need < 10 << 20; fixture.idsPerSecond *= 2) {
            need = new SizingCheck(fixture.settings(), subtasks, maxParallelism).bytesNeeded();
        }
        fixture.memory = new MemorySize(Math.max(1 << 20, need / 10));
        stream = DeduplicateFixture.subtasks(maxParallelism, Backends.HASHMAP);
    }

    /** New ids, 100 in each ms; a few are repeated immediately. */
    private void newIds(long count) throws Exception {
        for (long end = next + count; next < end; next++) {
            long time = next / 100;
            if (next % 1_000 == 0) {
                stream.watermark(time - 50);
            }
            boolean isNew = !stream.process(next, time).isEmpty();
            dropped += isNew ? 0 : 1;
            if (next % 100 == 0) {
                assertThat(stream.process(next, time)).as("again: %s", next).isEmpty();
            }
        }
    }

    /** P[X >= x] of a binomially distributed X, summed term by term. */
    private static double atLeast(long x, long n, double p) {
        double term = n * Math.log1p(-p);
        double below = 0;
        for (long k = 0; k < x; k++) {
            below += Math.exp(term);
            term += Math.log((double) (n - k) / (k + 1)) + Math.log(p) - Math.log1p(-p);
        }
        return 1 - below;
    }

    private void assertNoMoreDroppedThanAllowed() {
        assertThat(atLeast(dropped, next, MOST))
                .as("chance that %s of %s are dropped at %s", dropped, next, MOST)
                .isGreaterThan(1e-9);
    }

    @ParameterizedTest
    @CsvSource({"1, 900000, 1, 1, 1", "32768, 500000, 2, 5, 1"})
    void noNewIdIsDroppedBeyondTenTimesTheProbabilityNorAfterRestoresAtTheCap(
            int maxParallelism, long ids, int first, int more, int fewer) throws Exception {
        aTenthOfTheNeed(maxParallelism, first);
        stream.start(first, fixture.filter());
        newIds(ids);
        assertNoMoreDroppedThanAllowed();
        assertThat(stream.gaugeSum(DeduplicateMetrics.OVERFLOWS)).isPositive();
        assertThat(stream.gauge(0, DeduplicateMetrics.COVERED_MILLIS, Long.class))
                .isLessThan(WINDOW);
        for (int parallelism : new int[] {more, fewer}) {
            stream.completeSnapshot(stream.beginSnapshot(new CheckpointFolder(folder)));
            stream.start(parallelism, fixture.filter());
            newIds(50_000);
            assertNoMoreDroppedThanAllowed();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 900000, 1", "32768, 500000, 3"})
    void verificationDropsNoNewIdAndPassesNoDuplicateAtTheCap(
            int maxParallelism, long ids, int later) throws Exception {
        aTenthOfTheNeed(maxParallelism, 1);
        stream.start(1, fixture.verified());
        newIds(ids);
        assertThat(stream.gaugeSum(DeduplicateMetrics.OVERFLOWS)).isPositive();
        stream.completeSnapshot(stream.beginSnapshot(new CheckpointFolder(folder)));
        stream.start(later, fixture.verified());
        newIds(20_000);
        assertThat(dropped).isZero();
        for (long id = 0; id < next; id += 97) {
            assertThat(stream.process(id, next / 100)).as("again: %s", id).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 128, 32768})
    void filtersTakeAtMostTheMemoryOrTheSmallestOfAllKeyGroupsWithIds(int maxParallelism)
            throws Exception {
        aTenthOfTheNeed(maxParallelism, 1);
        fixture.memory = MemorySize.ofMebiBytes(1);
        stream.start(1, fixture.filter());
        long least = new SizingCheck(fixture.settings(), 1, maxParallelism).leastBytes();
        long bound = Math.max(fixture.memory.getBytes(), least);
        assertThat(bytes()).as("no key group has ids").isZero();
        stream.process(0L, 0);
        assertThat(bytes()).as("one key group has ids").isBetween(1L, 1L << 20);
        newIds(300_000);
        assertThat(bytes()).isLessThanOrEqualTo(bound);
        assertThat(bytes()).as("it is near").isGreaterThan(bound / 2);
    }

    private long bytes() throws Exception {
        return stream.gaugeSum(DeduplicateMetrics.BYTES);
    }

    @Test
    void theBoundOfTheTestIsThatOfTheBinomialDistribution() {
        assertThat(atLeast(3, 4, 0.5)).isCloseTo(5.0 / 16, within(1e-12));
        assertThat(atLeast(0, 10, 0.1)).isEqualTo(1);
    }
}
