/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** How many records came within the last lifetime: more ids than that need not be held. */
final class SoakArrivals {
    private final long lifetimeNanos;

    /** The number of records by the time of the sample. */
    private final TreeMap<Long, Long> samples = new TreeMap<>();

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
        samples.put(nanos, most);
        Map.Entry<Long, Long> begin = samples.floorEntry(nanos - lifetimeNanos);
        if (begin == null) {
            return Double.NaN;
        }
        samples.headMap(begin.getKey()).clear();
        return most - begin.getValue();
    }
}
