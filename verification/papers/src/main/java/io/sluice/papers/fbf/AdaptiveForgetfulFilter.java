/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.format.Persistent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;

/**
 * A {@link ForgetfulBloomFilter} that is refreshed by a clock and resized by a {@link
 * ResizePolicy}: section 4 of the paper.
 *
 * <p><b>Guarantee:</b> an id that {@link #add} recorded is reported as seen for at least the
 * window, whatever the policy decides and however t and N change: the oldest filter is forgotten
 * only when the slice that it alone holds ended before the window began. If all filters are in use
 * and the oldest is still needed, a refresh waits, and the newest slice goes on filling.
 *
 * <p>Jobs use {@link io.sluice.filter.forgetful.ForgetfulFilter}, which needs no tuning; this class
 * is the paper's controller, for comparison. Not thread-safe.
 */
public final class AdaptiveForgetfulFilter implements Persistent {

    /**
     * Steps of the clock that one call makes, for each plane: refreshes, and decisions between
     * them.
     */
    private static final int STEPS_PER_PLANE = 16;

    private final ForgetfulBloomFilter filter;
    private final ResizePolicy policy;
    private final long windowMillis;
    private final long decideMillis;
    private final double targetFpp;

    /** When each live slice ended, by age; the newest has not ended, so its element is unused. */
    private final long[] ended;

    private long refreshMillis;
    private int pastFilters;
    private long clock;
    private long lastRefresh;
    private long lastDecision;
    private long lastChange;
    private long addedSinceDecision;
    private double ratePerSecond;

    /**
     * @param filter empty; its rule must not be {@link SeenRule#SIMPLE}, which has no guarantee
     * @param refreshMillis t at the beginning
     * @param windowMillis the guaranteed window: at most (N + 1) t
     * @param decideMillis how often the policy is asked; the paper's is a second
     * @param targetFpp the probability to stay below
     * @param now the clock, in ms
     */
    public AdaptiveForgetfulFilter(
            ForgetfulBloomFilter filter,
            ResizePolicy policy,
            long refreshMillis,
            long windowMillis,
            long decideMillis,
            double targetFpp,
            long now) {
        this.filter = Objects.requireNonNull(filter, "filter");
        this.policy = Objects.requireNonNull(policy, "policy");
        if (filter.rule() == SeenRule.SIMPLE) {
            throw new IllegalArgumentException("the rule SIMPLE forgets: use another");
        }
        if (refreshMillis < 1
                || windowMillis < 1
                || refreshMillis < Coverage.leastRefresh(windowMillis, filter.pastFilters())) {
            throw new IllegalArgumentException(
                    "a window of "
                            + windowMillis
                            + " ms is not covered by "
                            + filter.pastFilters()
                            + " past filters refreshed every "
                            + refreshMillis
                            + " ms: (N + 1) t must not be shorter");
        }
        long most = AdaptiveForgetfulFilterFormat.MAX_MILLIS;
        if (windowMillis > most || refreshMillis > most || decideMillis > most) {
            throw new IllegalArgumentException(
                    "windowMillis, refreshMillis and decideMillis must be at most 2^61, got "
                            + windowMillis
                            + ", "
                            + refreshMillis
                            + " and "
                            + decideMillis);
        }
        if (now > most || now < -most) {
            throw new IllegalArgumentException("now must be between -2^61 and 2^61 ms, got " + now);
        }
        if (decideMillis < 1 || !(targetFpp > 0 && targetFpp < 1)) {
            throw new IllegalArgumentException(
                    "decideMillis must be at least 1 and targetFpp between 0 and 1, got "
                            + decideMillis
                            + " and "
                            + targetFpp);
        }
        this.refreshMillis = refreshMillis;
        this.windowMillis = windowMillis;
        this.decideMillis = decideMillis;
        this.targetFpp = targetFpp;
        this.pastFilters = filter.pastFilters();
        this.ended = new long[filter.maxPastFilters() + 3];
        // Some rules begin with an older slice that is empty; it cannot have ended after now.
        Arrays.fill(ended, now);
        clock = now;
        lastRefresh = now;
        lastDecision = now;
        lastChange = now;
        // From here on the filter itself forgets nothing by count; this class forgets by time.
        filter.setPastFilters(filter.maxPastFilters());
    }

    /** Completes a filter that was read. */
    AdaptiveForgetfulFilter(
            ForgetfulBloomFilter filter,
            ResizePolicy policy,
            AdaptiveForgetfulFilterFormat.State state) {
        this.filter = filter;
        this.policy = Objects.requireNonNull(policy, "policy");
        windowMillis = state.windowMillis();
        decideMillis = state.decideMillis();
        targetFpp = state.targetFpp();
        refreshMillis = state.refreshMillis();
        pastFilters = state.pastFilters();
        clock = state.clock();
        lastRefresh = state.lastRefresh();
        lastDecision = state.lastDecision();
        lastChange = state.lastChange();
        addedSinceDecision = state.addedSinceDecision();
        ratePerSecond = state.ratePerSecond();
        ended = new long[filter.maxPastFilters() + 3];
        for (int i = 0; i < state.ended().size(); i++) {
            ended[i + 1] = state.ended().get(i);
        }
    }

    /** Records {@code hash} now unless it is reported as seen; see {@link ForgetfulBloomFilter}. */
    public boolean add(long hash) {
        boolean added = filter.add(hash);
        if (added && addedSinceDecision < AdaptiveForgetfulFilterFormat.MAX_ADDED) {
            addedSinceDecision++;
        }
        return added;
    }

    /** Whether {@code hash} is reported as seen. */
    public boolean mightContain(long hash) {
        return filter.mightContain(hash);
    }

    /**
     * Moves the clock; refreshes and resizes when due. A clock that goes back is ignored.
     * O(planes), however far it moves: after a fixed number of decisions and refreshes without an
     * id, the rest of the time counts as one step.
     */
    public void advanceTo(long time) {
        long now = Math.min(time, AdaptiveForgetfulFilterFormat.MAX_MILLIS);
        int steps = STEPS_PER_PLANE * ended.length;
        while (clock < now) {
            long next = Math.min(now, Math.min(lastRefresh + refreshMillis, nextDecision()));
            clock = steps-- > 0 ? Math.max(clock + 1, next) : now;
            if (clock >= nextDecision()) {
                decide();
            }
            if (clock >= lastRefresh + refreshMillis) {
                refresh();
            }
        }
    }

    private long nextDecision() {
        return lastDecision + decideMillis;
    }

    private void decide() {
        ratePerSecond = addedSinceDecision * 1000.0 / (clock - lastDecision);
        addedSinceDecision = 0;
        lastDecision = clock;
        ResizePolicy.Decision decision =
                policy.decide(
                        new ResizePolicy.Observation(
                                refreshMillis,
                                pastFilters,
                                filter.maxPastFilters(),
                                windowMillis,
                                ratePerSecond,
                                filter.predictedFpp(),
                                targetFpp,
                                clock - lastChange,
                                filter.positions(),
                                filter.probes()));
        if (decision.refreshMillis() != refreshMillis || decision.pastFilters() != pastFilters) {
            refreshMillis =
                    Math.min(
                            AdaptiveForgetfulFilterFormat.MAX_MILLIS,
                            Math.max(1, decision.refreshMillis()));
            pastFilters = Math.max(1, Math.min(filter.maxPastFilters(), decision.pastFilters()));
            lastChange = clock;
        }
        if (decision.refreshNow()) {
            refresh();
        }
    }

    private void refresh() {
        forgetExpired();
        if (filter.filters() >= filter.maxPastFilters() + 2) {
            return;
        }
        System.arraycopy(ended, 0, ended, 1, ended.length - 1);
        ended[1] = clock;
        filter.refresh();
        lastRefresh = clock;
        forgetExpired();
    }

    /** Forgets the oldest filters beyond N + 2 whose own slice ended before the window. */
    private void forgetExpired() {
        while (filter.filters() > pastFilters + 2
                && ended[filter.filters() - 1] < clock - windowMillis) {
            filter.forgetOldest();
        }
    }

    /** Writes everything but the policy. The stream is neither flushed nor closed. */
    @Override
    public void writeTo(OutputStream out) throws IOException {
        AdaptiveForgetfulFilterFormat.write(
                new AdaptiveForgetfulFilterFormat.State(
                        windowMillis,
                        decideMillis,
                        targetFpp,
                        refreshMillis,
                        pastFilters,
                        clock,
                        lastRefresh,
                        lastDecision,
                        lastChange,
                        addedSinceDecision,
                        ratePerSecond,
                        Arrays.stream(ended, 1, filter.filters()).boxed().toList()),
                filter,
                out);
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param source what is read, for messages
     * @param policy from now on; a policy that keeps state of its own begins anew
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static AdaptiveForgetfulFilter readFrom(
            InputStream in, String source, ResizePolicy policy) throws IOException {
        return AdaptiveForgetfulFilterFormat.read(in, source, policy);
    }

    /** The time now. */
    long clock() {
        return clock;
    }

    /** t. */
    public long refreshMillis() {
        return refreshMillis;
    }

    /** N as decided; there are more filters while older ones are still needed. */
    public int pastFilters() {
        return pastFilters;
    }

    /** Filters with a history. */
    public int filters() {
        return filter.filters();
    }

    /** False-positive probability now, from the ids per slice. */
    public double predictedFpp() {
        return filter.predictedFpp();
    }
}
