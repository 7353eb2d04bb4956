/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.seen;

import io.sluice.filter.MembershipFilter;
import java.util.Objects;

/**
 * "Have I seen this key?" with keys of your own type: a filter and the {@link Funnel} that hashes
 * its keys. A view: it holds nothing itself, and the filter may be used beside it.
 *
 * <p>As thread-safe as the filter, that is, not at all unless the filter says otherwise: one thread
 * at a time may call any method, also {@link #mightContain}.
 *
 * @param <T> type of the keys
 */
public final class Seen<T> {
    private final MembershipFilter filter;
    private final Funnel<? super T> funnel;

    private Seen(MembershipFilter filter, Funnel<? super T> funnel) {
        this.filter = filter;
        this.funnel = funnel;
    }

    /** A view of {@code filter}. */
    public static <T> Seen<T> in(MembershipFilter filter, Funnel<? super T> funnel) {
        return new Seen<>(
                Objects.requireNonNull(filter, "filter"), Objects.requireNonNull(funnel, "funnel"));
    }

    /**
     * Adds {@code key}; returns true if it was certainly not there. False if it was, or, with the
     * filter's probability of a false positive, if it was not.
     */
    public boolean add(T key) {
        return filter.add(funnel.hash(key));
    }

    /** Returns false only if {@code key} is certainly not there. Changes nothing. */
    public boolean mightContain(T key) {
        return filter.mightContain(funnel.hash(key));
    }
}
