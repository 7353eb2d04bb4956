/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MergePolicyTest {

    private static final long BUFFER = 1_000;

    /** Flushes and merges of one series, which begin at once after each flush. */
    private static final class Series {
        private final MergePolicy policy;
        private final List<Long> sizes = new ArrayList<>();

        /** Flushes until the merge that makes a file has ended. */
        private final List<Integer> busyFor = new ArrayList<>();

        private long flushed;
        private long merged;
        private int mostFiles;

        private Series(MergePolicy policy) {
            this.policy = policy;
        }

        private void flush(long entries) {
            flush(entries, 0);
        }

        /**
         * A merge counts as a file from its beginning, and has ended {@code delay} flushes later.
         */
        private void flush(long entries, int delay) {
            busyFor.replaceAll(left -> Math.max(0, left - 1));
            sizes.add(entries);
            while (busyFor.size() < sizes.size()) {
                busyFor.add(0);
            }
            flushed += entries;
            MergePlanner.Range range = next();
            while (!range.isEmpty()) {
                List<Long> inputs = sizes.subList(range.from(), range.to());
                long size = inputs.stream().mapToLong(s -> s).sum();
                inputs.clear();
                sizes.add(range.from(), size);
                busyFor.subList(range.from(), range.to()).clear();
                busyFor.add(range.from(), delay);
                merged += size;
                range = next();
            }
            mostFiles = Math.max(mostFiles, sizes.size());
        }

        private MergePlanner.Range next() {
            long[] all = sizes.stream().mapToLong(s -> s).toArray();
            boolean[] busy = new boolean[all.length];
            for (int i = 0; i < busy.length; i++) {
                busy[i] = busyFor.get(i) > 0;
            }
            return MergePlanner.next(policy, BUFFER, all, busy);
        }

        private double writesPerEntry() {
            return (double) (flushed + merged) / flushed;
        }
    }

    private static long binomial(int n, int k) {
        long result = 1;
        for (int i = 1; i <= k; i++) {
            result = result * (n - k + i) / i;
        }
        return result;
    }

    @Test
    void fewFilesHoldTheCombinatorialDigitsOfTheAmount() {
        MergePolicy policy = MergePolicy.fewFiles(3);
        assertThat(policy.target(0)).isEmpty();
        assertThat(policy.target(1)).containsExactly(1);
        assertThat(policy.target(3)).containsExactly(1, 1, 1);
        assertThat(policy.target(4)).containsExactly(4);
        assertThat(policy.target(9)).containsExactly(4, 3, 2);
        assertThat(policy.target(10)).containsExactly(10);
        assertThat(policy.target(34)).containsExactly(20, 10, 4);
    }

    /** The file that f(d, k) + 1 buffers become. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 8})
    void fewFilesBecomeOneWhenTheNextNumberOfWritesBegins(int files) {
        MergePolicy policy = MergePolicy.fewFiles(files);
        for (int writes = 1; writes <= 6; writes++) {
            long most = binomial(writes + files, files) - 1;
            assertThat(policy.target(most)).hasSizeLessThanOrEqualTo(files);
            assertThat(policy.target(most + 1)).containsExactly(most + 1);
        }
    }

    @Test
    void doublingHoldsTheDigitsOfTheAmount() {
        assertThat(MergePolicy.doubling(2).target(0b101101)).containsExactly(32, 8, 4, 1);
        assertThat(MergePolicy.doubling(10).target(7_305)).containsExactly(7_000, 300, 5);
    }

    @Test
    void targetsAddUp() {
        SplittableRandom random = Seeds.random();
        List<MergePolicy> policies =
                List.of(
                        MergePolicy.fewFiles(1),
                        MergePolicy.fewFiles(2),
                        MergePolicy.fewFiles(4),
                        MergePolicy.fewFiles(16),
                        MergePolicy.doubling(2),
                        MergePolicy.doubling(64));
        for (MergePolicy policy : policies) {
            for (int i = 0; i < 1_000; i++) {
                long amount = random.nextLong(1L << random.nextInt(1, 30));
                long[] target = policy.target(amount);
                assertThat(Arrays.stream(target).sum())
                        .as("%s of %s", policy, amount)
                        .isEqualTo(amount);
                assertThat(target).hasSizeLessThanOrEqualTo(policy.mostFiles(amount));
                assertThat(Arrays.stream(target).allMatch(size -> size > 0)).isTrue();
            }
        }
    }

    /**
     * All merges write k C(d + k, k + 1) buffers in f(d, k) of them, if a buffer that is merged at
     * once counted as written by that merge. But it was written before, in f(d, k) - C(d + k - 1, k
     * - 1) of the cases; the others begin a file.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 6})
    void fewFilesWriteAsOftenAsTheFormulaSays(int files) {
        for (int writes = 1; writes <= 7; writes++) {
            Series series = new Series(MergePolicy.fewFiles(files));
            long flushes = binomial(writes + files, files) - 1;
            for (long i = 0; i < flushes; i++) {
                series.flush(BUFFER);
            }
            long direct = files * binomial(writes + files, files + 1);
            long again = flushes - binomial(writes + files - 1, files - 1);
            assertThat(series.flushed + series.merged).isEqualTo((direct + again) * BUFFER);
            assertThat(series.mostFiles).isLessThanOrEqualTo(files);
            assertThat((double) direct / flushes)
                    .isCloseTo(
                            (double) files * writes / (files + 1) * (flushes + 1) / flushes,
                            within(1e-9));
        }
    }

    /**
     * Each of 2^n buffers is written once by its flush and once in half of the n levels' merges.
     */
    @Test
    void doublingWritesAsOftenAsTheFormulaSays() {
        Series series = new Series(MergePolicy.doubling(2));
        int levels = 10;
        for (int i = 0; i < 1 << levels; i++) {
            series.flush(BUFFER);
        }
        // The t-th flush merges as many buffers as its lowest set bit says, if that is not 1.
        double merged = 0;
        for (int i = 1; i <= 1 << levels; i++) {
            merged += Integer.lowestOneBit(i) > 1 ? Integer.lowestOneBit(i) : 0;
        }
        assertThat((double) series.merged / BUFFER).isEqualTo(merged);
        assertThat(series.writesPerEntry()).isCloseTo(1 + levels / 2.0 + 0.5, within(0.01));
        assertThat(series.mostFiles).isLessThanOrEqualTo(levels);
    }

    /** A restore may bring any number of files, and each input of a merge needs memory. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyFilesAreMergedInSteps(boolean open) {
        MergePolicy policy = MergePolicy.fewFiles(4);
        List<Long> sizes = new ArrayList<>(Collections.nCopies(500, BUFFER / 10));
        int mostInputs = 0;
        MergePlanner.Range range = next(policy, sizes, open);
        while (!range.isEmpty()) {
            mostInputs = Math.max(mostInputs, range.to() - range.from());
            List<Long> inputs = sizes.subList(range.from(), range.to());
            long size = inputs.stream().mapToLong(s -> s).sum();
            inputs.clear();
            sizes.add(range.from(), size);
            range = next(policy, sizes, open);
        }
        assertThat(mostInputs).isEqualTo(MergePlanner.MOST_INPUTS);
        assertThat(sizes).hasSizeLessThanOrEqualTo(open ? 4 + MergePlanner.SMALL_FILES : 1);
    }

    private static MergePlanner.Range next(MergePolicy policy, List<Long> sizes, boolean open) {
        boolean[] busy = new boolean[sizes.size()];
        return open
                ? MergePlanner.next(
                        policy, BUFFER, sizes.stream().mapToLong(s -> s).toArray(), busy)
                : MergePlanner.nextOfClosed(busy);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void smallFlushesAddFewFilesAndFewWrites(int files) {
        SplittableRandom random = Seeds.random();
        for (long most : new long[] {BUFFER / 100, BUFFER / 10, BUFFER / 2, BUFFER}) {
            Series series = new Series(MergePolicy.fewFiles(files));
            Series full = new Series(MergePolicy.fewFiles(files));
            for (int i = 0; i < 100; i++) {
                full.flush(BUFFER);
            }
            while (series.flushed < 100 * BUFFER) {
                series.flush(1 + random.nextLong(most));
            }
            assertThat(series.mostFiles)
                    .as("flushes of up to %s", most)
                    .isLessThanOrEqualTo(files + MergePlanner.SMALL_FILES);
            // C(9 + 3, 3) = 220 flushes of a 200th are written 9 times with 3 files.
            assertThat(series.writesPerEntry()).isLessThan(full.writesPerEntry() + 12);
        }
    }

    /**
     * Given files of any sizes, as a restore finds them, merges leave no more than the policy
     * wants.
     */
    @Test
    void anyFilesAreMergedDownToFew() {
        SplittableRandom random = Seeds.random();
        for (int round = 0; round < 500; round++) {
            int most = 1 + random.nextInt(5);
            Series series = new Series(MergePolicy.fewFiles(most));
            int files = 1 + random.nextInt(40);
            for (int i = 0; i < files; i++) {
                series.sizes.add(1 + random.nextLong(1L << random.nextInt(1, 20)));
            }
            series.flush(1);
            assertThat(series.sizes.size()).isLessThanOrEqualTo(most + MergePlanner.SMALL_FILES);
        }
    }

    @Test
    void aRunningMergeIsWaitedForButNotForEver() {
        MergePolicy policy = MergePolicy.fewFiles(1);
        long[] sizes = {9 * BUFFER, BUFFER, BUFFER};
        boolean[] busy = {true, false, false};
        assertThat(MergePlanner.next(policy, BUFFER, sizes, busy).isEmpty()).isTrue();
        long[] many = new long[2 + MergePlanner.PATIENCE];
        Arrays.fill(many, BUFFER);
        boolean[] first = new boolean[many.length];
        first[0] = true;
        assertThat(MergePlanner.next(policy, BUFFER, many, first))
                .isEqualTo(new MergePlanner.Range(1, many.length));
    }

    /** When the files of 44 buffers and one more should become one, and the youngest are busy. */
    @Test
    void aRunningMergeIsWaitedForBeforeManyFilesBecomeOne() {
        MergePolicy policy = MergePolicy.fewFiles(8);
        long[] buffers = {9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1};
        long[] all = Arrays.stream(buffers).map(size -> size * BUFFER).toArray();
        int running = 7;
        for (int files = 9; files <= all.length; files++) {
            long[] sizes = Arrays.copyOf(all, files);
            boolean[] busy = new boolean[files];
            busy[running] = true;
            assertThat(MergePlanner.next(policy, BUFFER, sizes, busy))
                    .as("%s files", files)
                    .isEqualTo(
                            files > 8 + MergePlanner.PATIENCE
                                    ? new MergePlanner.Range(0, running)
                                    : MergePlanner.Range.NONE);
        }
    }

    /** Slow merges are put off, or several are done as one: that is less to write. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void mergesThatTakeSomeFlushesWriteNoMoreThanThoseAtOnce(int flushes) {
        for (int files = 2; files <= 16; files++) {
            MergePolicy policy = MergePolicy.fewFiles(files);
            Series atOnce = new Series(policy);
            Series slow = new Series(policy);
            for (int i = 0; i < 200; i++) {
                atOnce.flush(BUFFER);
                slow.flush(BUFFER, flushes);
            }
            assertThat(slow.merged).as("%s files", files).isLessThanOrEqualTo(atOnce.merged);
        }
    }

    @Test
    void aClosedLineBecomesOneFile() {
        assertThat(MergePlanner.nextOfClosed(new boolean[3]))
                .isEqualTo(new MergePlanner.Range(0, 3));
        assertThat(MergePlanner.nextOfClosed(new boolean[1]).isEmpty()).isTrue();
        assertThat(MergePlanner.nextOfClosed(new boolean[] {false, true, false}).isEmpty())
                .isTrue();
    }

    @Test
    void impossiblePoliciesAreRefused() {
        assertThatThrownBy(() -> MergePolicy.fewFiles(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("files must be between 1 and 16, got 0");
        assertThatThrownBy(() -> MergePolicy.doubling(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fanOut must be between 2 and 64, got 1");
    }
}
