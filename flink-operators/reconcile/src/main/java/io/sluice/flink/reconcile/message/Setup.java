/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile.message;

import java.io.Serializable;
import org.apache.flink.annotation.Internal;

/**
 * What both replicas must have in common. Every message carries it, so that a peer with a different
 * configuration is noticed, and not believed.
 *
 * @param windowMillis length of the tumbling windows, at least 1
 * @param groups key groups, which is the maximum parallelism of the operator; 1 to 32768
 * @param scheme which part of an id is hashed, a code of {@link
 *     io.sluice.flink.runtime.IdHasher.Scheme}
 * @param seed of checksums and filters
 */
@Internal
public record Setup(long windowMillis, int groups, int scheme, long seed) implements Serializable {

    public static final int MAX_GROUPS = 1 << 15;

    public Setup {
        if (windowMillis < 1) {
            throw new IllegalArgumentException(
                    "window must be at least 1 ms, but is " + windowMillis + " ms");
        }
        if (groups < 1 || groups > MAX_GROUPS) {
            throw new IllegalArgumentException(
                    "groups must be from 1 to " + MAX_GROUPS + ", but is " + groups);
        }
    }

    /**
     * Start of the window that {@code timestamp} belongs to; it must {@code #hasWindow have} one.
     */
    public long windowOf(long timestamp) {
        return timestamp - Math.floorMod(timestamp, windowMillis);
    }

    /** Whether start and end of the timestamp's window fit into a long; only the wildest do not. */
    public boolean hasWindow(long timestamp) {
        return timestamp >= Long.MIN_VALUE + windowMillis
                && timestamp <= Long.MAX_VALUE - windowMillis;
    }

    /** First timestamp after the window that starts at {@code window}. */
    public long endOf(long window) {
        return window + windowMillis;
    }

    /** Key group of an element: by the high half of its hash, without a division. */
    public int groupOf(long hash) {
        return (int) (((hash >>> 32) * groups) >>> 32);
    }
}
