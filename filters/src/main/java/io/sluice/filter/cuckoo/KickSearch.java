/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

/**
 * Makes room in a full bucket: finds the shortest way along which fingerprints can be moved to
 * their alternate buckets, and only then moves them, from the far end. So nothing is ever without a
 * slot, and nothing has changed if there is no way.
 *
 * <p>The paper (algorithm 1) moves first: it evicts a random fingerprint, goes on with that one,
 * and loses the last victim when it gives up.
 *
 * <p>The search is breadth first, from both buckets of the new fingerprint. Two full buckets have
 * eight alternates, which are fetched together, so looking at eight costs little more than one
 * cache miss. No bucket occurs twice on a shortest way, so no slot does either, and every
 * fingerprint that was found is still there when it is moved.
 *
 * <p>Allocates only in its constructor. Not thread-safe.
 */
final class KickSearch {

    /** Result of {@link #makeRoom}: there is none. */
    static final long NONE = -1;

    /**
     * Full buckets that are remembered; four times as many are looked at. A search visits some ten
     * at a load of 0.95; at 0.976 (the paper's table of occupancies) some hundred, seldom
     * thousands.
     */
    private static final int MAX_NODES = 1 << 12;

    /** Two nodes are looked at in one step: that makes this many alternates. */
    private static final int STEP = 2 * CuckooShape.SLOTS;

    /** Two bits for the slot within a bucket. */
    private static final int SLOT_SHIFT = 2;

    private static final int SLOT_MASK = CuckooShape.SLOTS - 1;
    private static final int ROOT = -1;

    private final CuckooBuckets buckets;

    /** The full bucket of each node; the two roots first. */
    private final long[] bucketOf;

    /** The node and slot whose fingerprint has this bucket as its alternate; or {@link #ROOT}. */
    private final int[] from;

    KickSearch(CuckooBuckets buckets) {
        this.buckets = buckets;
        int nodes = (int) Math.min(MAX_NODES, Math.max(STEP, buckets.shape().buckets()));
        // The last step may be without result: its alternates are written, and never used.
        bucketOf = new long[nodes + STEP];
        from = new int[nodes + STEP];
    }

    /** The slot in the low bits, the bucket above them. */
    static long place(long bucket, int slot) {
        return (bucket << SLOT_SHIFT) | slot;
    }

    static long bucketOfPlace(long place) {
        return place >>> SLOT_SHIFT;
    }

    static int slotOfPlace(long place) {
        return (int) place & SLOT_MASK;
    }

    /**
     * Moves fingerprints such that one of these full buckets has a slot to spare.
     *
     * @return the {@link #place} of that slot, which still has its old content, to be overwritten;
     *     or {@link #NONE}, and nothing has changed
     */
    long makeRoom(long first, long second) {
        bucketOf[0] = first;
        bucketOf[1] = second;
        from[0] = ROOT;
        from[1] = ROOT;
        int nodes = 2;
        for (int node = 0; node < nodes; node += 2) {
            int found = expand(node, nodes);
            if (found != ROOT) {
                return move(found);
            }
            if (nodes + 2 * STEP <= bucketOf.length) {
                nodes += STEP;
            }
        }
        return NONE;
    }

    /**
     * Notes the alternates of all that is in the buckets of {@code node} and the next one as nodes
     * from {@code at}. Returns the first of them that has an empty slot, or {@link #ROOT}.
     */
    private int expand(int node, int at) {
        alternates(node, at);
        alternates(node + 1, at + CuckooShape.SLOTS);
        // No branch between the eight, so that their cache misses overlap.
        int withRoom = 0;
        for (int i = 0; i < STEP; i++) {
            withRoom |= Long.signum(buckets.emptySlots(bucketOf[at + i])) << i;
        }
        return withRoom == 0 ? ROOT : at + Integer.numberOfTrailingZeros(withRoom);
    }

    private void alternates(int node, int at) {
        long bucket = bucketOf[node];
        for (int slot = 0; slot < CuckooShape.SLOTS; slot++) {
            bucketOf[at + slot] = buckets.alternate(bucket, buckets.fingerprint(bucket, slot));
            from[at + slot] = (node << SLOT_SHIFT) | slot;
        }
    }

    /** Moves one fingerprint into the bucket of {@code found}, one into its place, and so on. */
    private long move(int found) {
        long to = bucketOf[found];
        int toSlot = buckets.firstOf(buckets.emptySlots(to));
        int via = from[found];
        while (via != ROOT) {
            int node = via >>> SLOT_SHIFT;
            int slot = via & SLOT_MASK;
            long bucket = bucketOf[node];
            buckets.put(to, toSlot, buckets.fingerprint(bucket, slot), buckets.count(bucket, slot));
            to = bucket;
            toSlot = slot;
            via = from[node];
        }
        return place(to, toSlot);
    }

    long sizeInBytes() {
        return bucketOf.length * (long) (Long.BYTES + Integer.BYTES);
    }
}
