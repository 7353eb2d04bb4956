/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.overload;

import io.sluice.filter.FilterSizing;
import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.plane.Layout;
import io.sluice.papers.fbf.ForgetfulBloomFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * A filter with a policy, with the memory that the expected rate needs.
 *
 * @param id names its figures and the rows of the table
 * @param bounded whether it promises to drop no more new ids than {@code maxFpp}
 */
record Candidate(String id, String name, boolean bounded, Supplier<Window> create) {
    /** A filter of the last window of ids, of any kind. */
    interface Window {
        /**
         * Whether {@code hash} was not held; then it is held from now on. {@code time} never
         * decreases.
         *
         * @throws io.sluice.filter.FilterFullException under {@link OverflowPolicy#FAIL}
         */
        boolean add(long hash, long time);

        /** How far back the filter holds every id, in milliseconds; at most the window. */
        long coveredMillis();
    }

    /** Nine slices of a ninth of the window: every id stays for a whole window. */
    private static final int PAST_FILTERS = 8;

    /** All layouts under the default policy, the other policy, and a filter without a policy. */
    static List<Candidate> all(long windowMillis, long expected, double fpp) {
        List<Candidate> all = new ArrayList<>();
        for (Layout layout : Layout.forWindows()) {
            String word = layout.name().toLowerCase(Locale.ROOT);
            all.add(
                    new Candidate(
                            word,
                            "FORGET_OLDEST, " + word,
                            true,
                            () ->
                                    windowed(
                                            windowMillis,
                                            expected,
                                            fpp,
                                            layout,
                                            OverflowPolicy.FORGET_OLDEST)));
        }
        all.add(
                new Candidate(
                        "fail",
                        "FAIL, fingerprints",
                        true,
                        () ->
                                windowed(
                                        windowMillis,
                                        expected,
                                        fpp,
                                        Layout.FINGERPRINTS,
                                        OverflowPolicy.FAIL)));
        all.add(
                new Candidate(
                        "paper",
                        "forgetful Bloom filter, no policy",
                        false,
                        () -> paper(windowMillis, expected, fpp)));
        return all;
    }

    private static Window windowed(
            long windowMillis, long expected, double fpp, Layout layout, OverflowPolicy policy) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(windowMillis)
                        .expectedPerWindow(expected)
                        .falsePositiveProbability(fpp)
                        .layout(layout)
                        .onOverflow(policy)
                        .build();
        ForgetfulFilter filter =
                ForgetfulFilter.create(
                        options, new MemoryBudget(ForgetfulFilter.expectedBytes(options)), 0);
        return new Window() {
            @Override
            public boolean add(long hash, long time) {
                return filter.add(hash, time);
            }

            @Override
            public long coveredMillis() {
                return Math.min(windowMillis, filter.clock() - filter.coveredSince());
            }
        };
    }

    /** The filter of the paper in its corrected form, refreshed by time. */
    private static Window paper(long windowMillis, long expected, double fpp) {
        long slice = windowMillis / (PAST_FILTERS + 1);
        // Each filter holds two slices, and every one of them may report an absent id.
        double each = fpp / (PAST_FILTERS + 2);
        int hashes = FilterSizing.optimalProbes(each);
        double bits = 2.0 * expected / (PAST_FILTERS + 1) * FilterSizing.bitsPerKey(each, hashes);
        ForgetfulBloomFilter filter =
                new ForgetfulBloomFilter(
                        (int) Math.ceil(bits),
                        hashes,
                        PAST_FILTERS,
                        ForgetfulBloomFilter.Rule.CORRECTED);
        return new Window() {
            private long refreshAt = slice;

            @Override
            public boolean add(long hash, long time) {
                while (time >= refreshAt) {
                    filter.refresh();
                    refreshAt += slice;
                }
                return filter.add(hash);
            }

            @Override
            public long coveredMillis() {
                return windowMillis;
            }
        };
    }
}
