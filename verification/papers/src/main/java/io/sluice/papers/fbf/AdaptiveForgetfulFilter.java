/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import java.util.ArrayList;
import java.util.List;

/**
 * A {@link ForgetfulBloomFilter} that is refreshed by a clock and resized by a {@link ResizePolicy}
 * (section III-E of the paper), and that forgets by time.
 *
 * <p><b>Guarantee:</b> an element is known for at least the window, whatever the policy decides:
 * the oldest filter goes only when the slice that it alone holds ended before the window began. The
 * paper grows by empty filters behind the oldest one, which cuts off at once what only the oldest
 * one held; this one grows by not forgetting.
 *
 * <p>Not thread-safe: the paper refreshes in a thread of its own, here the caller's clock does, so
 * that no lookup ever meets a refresh.
 */
final class AdaptiveForgetfulFilter implements Controlled {

    private final ForgetfulBloomFilter filter;
    private final ResizePolicy policy;
    private final long windowMillis;
    private final long decideMillis;
    private final double target;

    /** When the slices ended, from the newest that has ended; one fewer than filters. */
    private final List<Long> ended = new ArrayList<>();

    private long refreshMillis;
    private int past;
    private long clock;
    private long lastRefresh;
    private long lastDecision;
    private long lastChange;
    private long addedSinceDecision;

    /** Begins at time 0 with an empty filter, whose N and t have to cover the window. */
    AdaptiveForgetfulFilter(
            ForgetfulBloomFilter filter,
            ResizePolicy policy,
            long refreshMillis,
            long windowMillis,
            long decideMillis,
            double target) {
        past = filter.filters() - 2;
        if (refreshMillis < ResizePolicy.leastRefresh(windowMillis, past)) {
            throw new IllegalArgumentException(
                    "a window of "
                            + windowMillis
                            + " ms is not covered by "
                            + past
                            + " past filters refreshed every "
                            + refreshMillis
                            + " ms: (N + 1) t must not be shorter");
        }
        this.filter = filter;
        this.policy = policy;
        this.refreshMillis = refreshMillis;
        this.windowMillis = windowMillis;
        this.decideMillis = decideMillis;
        this.target = target;
        for (int i = 1; i < filter.filters(); i++) {
            ended.add(0L);
        }
    }

    @Override
    public boolean add(long hash) {
        boolean added = filter.add(hash);
        addedSinceDecision += added ? 1 : 0;
        return added;
    }

    @Override
    public boolean mightContain(long hash) {
        return filter.mightContain(hash);
    }

    @Override
    public void advanceTo(long now) {
        while (clock < now) {
            long due = Math.min(lastRefresh + refreshMillis, lastDecision + decideMillis);
            clock = Math.min(now, Math.max(clock + 1, due));
            if (clock >= lastDecision + decideMillis) {
                decide();
            }
            if (clock >= lastRefresh + refreshMillis) {
                refresh();
            }
        }
    }

    private void decide() {
        double perSecond = addedSinceDecision * 1000.0 / (clock - lastDecision);
        addedSinceDecision = 0;
        lastDecision = clock;
        ResizePolicy.Decision decision =
                policy.decide(
                        new ResizePolicy.Observation(
                                refreshMillis,
                                past,
                                windowMillis,
                                perSecond,
                                filter.predictedFpp(),
                                target,
                                clock - lastChange,
                                filter.bits(),
                                filter.hashes()));
        if (decision.refreshMillis() != refreshMillis || decision.past() != past) {
            refreshMillis = decision.refreshMillis();
            past = decision.past();
            lastChange = clock;
        }
        if (decision.refreshNow()) {
            refresh();
        }
    }

    private void refresh() {
        ended.add(0, clock);
        filter.refreshKeeping();
        lastRefresh = clock;
        while (filter.filters() > Math.max(3, past + 2)
                && ended.get(ended.size() - 1) < clock - windowMillis) {
            ended.remove(ended.size() - 1);
            filter.dropOldest();
        }
    }

    @Override
    public int filters() {
        return filter.filters();
    }

    /** False-positive probability now, from the elements per slice. */
    public double predictedFpp() {
        return filter.predictedFpp();
    }
}
