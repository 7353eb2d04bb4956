/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import java.util.HashMap;
import java.util.Map;

/**
 * How often both replicas saw each operation of each window, and what they made of it. Exact. Not
 * thread-safe.
 */
final class ReplicaCounts {
    /** An operation of a window. */
    record Element(long window, long operation) {}

    /** Copies by replica: in its input, in its final multiset, and added by corrections. */
    static final class Copies {
        final long[] seen = new long[2];
        final long[] last = new long[2];
        final long[] corrected = new long[2];

        long union() {
            return Math.max(seen[0], seen[1]);
        }

        /** Whether both replicas ended with the same multiplicity. */
        boolean isEqual() {
            return last[0] == last[1];
        }

        /** Whether a replica ended with the union, and its corrections led there. */
        boolean isRight(int replica) {
            return last[replica] == union() && seen[replica] + corrected[replica] == union();
        }
    }

    private final Map<Element, Copies> elements = new HashMap<>();

    Copies of(long window, long operation) {
        return elements.computeIfAbsent(new Element(window, operation), e -> new Copies());
    }

    /** Operations of windows that either replica saw. */
    long unionElements() {
        return elements.values().stream().filter(copies -> copies.union() > 0).count();
    }

    /** The operations of which this replica saw none, or fewer copies. */
    long lackedBy(int replica) {
        return elements.values().stream()
                .filter(copies -> copies.seen[replica] < copies.union())
                .count();
    }

    /** Elements that differ between the replicas at the end. */
    long unequal() {
        return elements.values().stream().filter(copies -> !copies.isEqual()).count();
    }

    /**
     * Elements that this replica lacks, or has less often than the replica that saw them more
     * often.
     */
    long wrongAt(int replica) {
        return elements.values().stream().filter(copies -> !copies.isRight(replica)).count();
    }
}
