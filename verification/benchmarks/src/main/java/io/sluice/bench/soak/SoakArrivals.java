/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** How many records came within the last lifetime: more ids than that need not be held. */
final class SoakArrivals {
    private record Sample(long nanos, long records) {}

    private final long lifetimeNanos;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private long most;

    SoakArrivals(Duration lifetime) {
        this.lifetimeNanos = lifetime.toNanos();
    }

    /**
     * Takes a sample, later than the one before.
     *
     * @param position records so far; smaller after a restore, since records that come again were
     *     counted
     * @return the records of the last lifetime, up to a sample more; NaN until one has passed
     */
    double lately(long nanos, long position) {
        most = Math.max(most, position);
        samples.add(new Sample(nanos, most));
        Sample begin = null;
        while (nanos - samples.element().nanos() >= lifetimeNanos) {
            begin = samples.remove();
        }
        if (begin == null) {
            return Double.NaN;
        }
        samples.addFirst(begin);
        return most - begin.records();
    }
}
