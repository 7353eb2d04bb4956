/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.ccf.MultisetPair;

/**
 * The elements of a pair by key group and part. Each group has its own digest, as in a job; each
 * part has its own totals, and parts with equal totals are left out of the digest. Both follow from
 * the hash, so both sides divide alike.
 */
final class Division {
    private final int groups;
    private final int[] order;

    /** Where the elements of each part begin in {@link #order}, and the end of the last. */
    private final int[] starts;

    private final MultisetPair pair;

    /**
     * A division into {@code groups} groups with {@code partsPerGroup} parts each; both at least 1.
     * O(n).
     */
    Division(MultisetPair pair, int groups, int partsPerGroup) {
        this.pair = pair;
        this.groups = groups;
        int parts = Math.multiplyExact(groups, partsPerGroup);
        starts = new int[parts + 1];
        for (int i = 0; i < pair.size(); i++) {
            starts[part(pair.hash(i), parts) + 1]++;
        }
        for (int part = 0; part < parts; part++) {
            starts[part + 1] += starts[part];
        }
        int[] next = starts.clone();
        order = new int[pair.size()];
        for (int i = 0; i < pair.size(); i++) {
            order[next[part(pair.hash(i), parts)]++] = i;
        }
    }

    private static int part(long hash, int parts) {
        return (int) (((hash >>> 32) * parts) >>> 32);
    }

    MultisetPair pair() {
        return pair;
    }

    int groups() {
        return groups;
    }

    int parts() {
        return starts.length - 1;
    }

    int partsPerGroup() {
        return parts() / groups;
    }

    /** Index of the first element of {@code part}, for {@link #element}. */
    int start(int part) {
        return starts[part];
    }

    /** Index after the last element of {@code part}. */
    int end(int part) {
        return starts[part + 1];
    }

    /** The element at {@code index}. */
    int element(int index) {
        return order[index];
    }
}
