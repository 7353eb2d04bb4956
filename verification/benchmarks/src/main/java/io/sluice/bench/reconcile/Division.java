/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

/**
 * The elements of a pair by key group and part. Each group has its own digest, as in a job; each
 * part has its own totals, and parts with equal totals are left out of the digest. Both follow from
 * the hash, so both sides divide alike.
 */
final class Division {
    private final int groups;
    private final int partsPerGroup;

    /** Elements by part. */
    private final int[] order;

    /** Where those of each part begin in {@link #order}, and the end of the last. */
    private final int[] starts;

    /** Divides into {@code groups} groups with {@code partsPerGroup} parts each. */
    Division(MultisetPair pair, int groups, int partsPerGroup) {
        this.groups = groups;
        this.partsPerGroup = partsPerGroup;
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

    int groups() {
        return groups;
    }

    int partsPerGroup() {
        return partsPerGroup;
    }

    int parts() {
        return groups * partsPerGroup;
    }

    /** Takes an element. */
    interface Visitor {
        void element(int element);
    }

    /** Visits the elements of a part. */
    void visit(int part, Visitor visitor) {
        for (int i = starts[part]; i < starts[part + 1]; i++) {
            visitor.element(order[i]);
        }
    }
}
