/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.seen;

import io.sluice.filter.forgetful.ForgetfulFilter;
import java.util.Objects;

/**
 * "Have I seen this key within the window?" with keys of your own type: a {@link ForgetfulFilter}
 * and the {@link Funnel} that hashes its keys. A view: it holds nothing itself. Not thread-safe.
 *
 * @param <T> type of the keys
 */
public final class SeenWithin<T> {
    private final ForgetfulFilter filter;
    private final Funnel<? super T> funnel;

    private SeenWithin(ForgetfulFilter filter, Funnel<? super T> funnel) {
        this.filter = filter;
        this.funnel = funnel;
    }

    /** A view of {@code filter}. */
    public static <T> SeenWithin<T> in(ForgetfulFilter filter, Funnel<? super T> funnel) {
        return new SeenWithin<>(
                Objects.requireNonNull(filter, "filter"), Objects.requireNonNull(funnel, "funnel"));
    }

    /**
     * Records {@code key} at {@code timestamp}; returns true if it was certainly not seen within
     * the window. See {@link ForgetfulFilter#add}.
     *
     * @param timestamp milliseconds of the filter's clock
     */
    public boolean add(T key, long timestamp) {
        return filter.add(funnel.hash(key), timestamp);
    }

    /**
     * Returns false only if {@code key} was certainly not seen in the window around {@code
     * timestamp}. Changes nothing.
     */
    public boolean mightContain(T key, long timestamp) {
        return filter.mightContain(funnel.hash(key), timestamp);
    }
}
