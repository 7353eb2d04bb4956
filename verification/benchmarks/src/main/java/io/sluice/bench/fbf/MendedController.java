/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.papers.fbf.AdaptiveForgetfulFilter;
import io.sluice.papers.fbf.ForgetfulBloomFilter;
import io.sluice.papers.fbf.ResizePolicy;
import io.sluice.papers.fbf.SeenRule;

/** The forgetful Bloom filter of Sluice with one of its resize policies, in figure 13. */
final class MendedController implements AdaptiveFilter {
    private static final long FIRST_PERIOD_MILLIS = 11_000;
    private static final long SECOND = 1000;
    private static final int MAX_PAST = 61;

    private final AdaptiveForgetfulFilter filter;
    private final long bits;

    MendedController(ResizePolicy policy, double target) {
        ForgetfulBloomFilter array =
                ForgetfulBloomFilter.builder()
                        .pastFilters(1)
                        .maxPastFilters(MAX_PAST)
                        .rule(SeenRule.NEIGHBOUR_PAIRS)
                        .scattered(FbfRun.BITS, FbfRun.HASHES)
                        .build();
        bits = 8 * array.sizeInBytes();
        filter =
                new AdaptiveForgetfulFilter(
                        array,
                        policy,
                        FIRST_PERIOD_MILLIS,
                        FigureThirteen.WINDOW_SECONDS * SECOND,
                        SECOND,
                        target,
                        0);
    }

    static ResizePolicy paper() {
        return ResizePolicy.paper(SECOND, SECOND, 1);
    }

    static ResizePolicy planned() {
        return ResizePolicy.planned(SECOND);
    }

    @Override
    public boolean add(long hash, double now) {
        return filter.add(hash);
    }

    @Override
    public boolean mightContain(long hash) {
        return filter.mightContain(hash);
    }

    @Override
    public void advance(double now) {
        filter.advanceTo(Math.round(now * SECOND));
    }

    @Override
    public void control() {
        // Decides every second, by its own clock.
    }

    @Override
    public double estimate() {
        return filter.predictedFpp();
    }

    @Override
    public int filters() {
        return filter.filters();
    }

    @Override
    public double period() {
        return filter.refreshMillis() / (double) SECOND;
    }

    /** All planes, used or not: bit-sliced memory exists from the beginning. */
    @Override
    public long sizeInBits() {
        return bits;
    }
}
