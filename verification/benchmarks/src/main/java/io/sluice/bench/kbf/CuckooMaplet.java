/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.capture.traffic.SplitMix64;
import io.sluice.filter.FilterFullException;
import io.sluice.filter.KeyValueFilter;
import java.util.SplittableRandom;

/**
 * A table of fingerprints with a value beside each, in buckets of four with two buckets for a key
 * (partial-key cuckoo hashing). Held keys with the same fingerprint in the same buckets are
 * ambiguous unless their values are equal.
 *
 * <p>Bits per key: fingerprint and value, over the load. An absent key is compared with 8 slots and
 * reported with probability 1 - e^(-8 load / 2^f): fingerprints are three bits longer than the
 * remainders of a {@link io.sluice.filter.quotient.QuotientMaplet} of the same error, which has 2
 * 2/3 bits of metadata. The slots are an array of longs here; {@link #sizeInBytes} counts only the
 * bits that are used.
 */
final class CuckooMaplet implements KeyValueFilter {

    static final double LOAD = 0.95;
    private static final int SLOTS = 4;

    /** More gains nothing: the error is one in 10^11. */
    private static final int MAX_FINGERPRINT_BITS = 40;

    private static final int MAX_KICKS = 2_000;

    private final int valueBits;
    private final int fingerprintBits;
    private final int values;
    private final int buckets;

    /** Fingerprint above value; 0 means free, so no fingerprint is 0. */
    private final long[] slots;

    private final SplittableRandom random = new SplittableRandom(7);
    private long refused;

    /**
     * A table for {@code keys} keys.
     *
     * @param bitsPerKey fingerprint and value over the load, at most; the fingerprint has at most
     *     {@value #MAX_FINGERPRINT_BITS} bits
     */
    CuckooMaplet(int keys, int values, double bitsPerKey) {
        this.values = values;
        valueBits = Integer.SIZE - Integer.numberOfLeadingZeros(values - 1);
        fingerprintBits = Math.min(MAX_FINGERPRINT_BITS, (int) (bitsPerKey * LOAD) - valueBits);
        buckets = (int) Math.ceil(keys / LOAD / SLOTS);
        slots = new long[buckets * SLOTS];
    }

    private long fingerprint(long hash) {
        long high = SplitMix64.mix(hash) >>> (Long.SIZE - fingerprintBits);
        return high == 0 ? 1 : high;
    }

    private int bucket(long hash) {
        return (int) (((hash >>> 32) * buckets) >>> 32);
    }

    /** An involution that does not need a power of two: the two buckets add up to a hash. */
    private int other(int bucket, long fingerprint) {
        int sum = (int) (((SplitMix64.mix(fingerprint) >>> 32) * buckets) >>> 32);
        int other = sum - bucket;
        return other < 0 ? other + buckets : other;
    }

    @Override
    public int query(long hash) {
        long fingerprint = fingerprint(hash);
        int first = bucket(hash);
        int found = lookIn(first, fingerprint, ABSENT);
        int second = other(first, fingerprint);
        return second == first ? found : lookIn(second, fingerprint, found);
    }

    private int lookIn(int bucket, long fingerprint, int found) {
        int answer = found;
        for (int i = bucket * SLOTS; i < (bucket + 1) * SLOTS; i++) {
            if (slots[i] >>> valueBits == fingerprint) {
                int value = (int) slots[i] & ((1 << valueBits) - 1);
                answer = answer == ABSENT || answer == value ? value : AMBIGUOUS;
            }
        }
        return answer;
    }

    @Override
    public void insert(long hash, int value) {
        long fingerprint = fingerprint(hash);
        int bucket = bucket(hash);
        long entry = fingerprint << valueBits | value;
        if (replace(bucket, 0, entry) || replace(other(bucket, fingerprint), 0, entry)) {
            return;
        }
        int[] path = new int[MAX_KICKS];
        for (int kick = 0; kick < MAX_KICKS; kick++) {
            int at = bucket * SLOTS + random.nextInt(SLOTS);
            path[kick] = at;
            long victim = slots[at];
            slots[at] = entry;
            entry = victim;
            bucket = other(bucket, entry >>> valueBits);
            if (replace(bucket, 0, entry)) {
                return;
            }
        }
        for (int kick = MAX_KICKS - 1; kick >= 0; kick--) {
            long back = slots[path[kick]];
            slots[path[kick]] = entry;
            entry = back;
        }
        throw new FilterFullException("no free slot was found in " + MAX_KICKS + " moves");
    }

    private boolean replace(int bucket, long old, long entry) {
        for (int i = bucket * SLOTS; i < (bucket + 1) * SLOTS; i++) {
            if (slots[i] == old) {
                slots[i] = entry;
                return true;
            }
        }
        return false;
    }

    private boolean change(long hash, int oldValue, long newEntry) {
        long fingerprint = fingerprint(hash);
        long old = fingerprint << valueBits | oldValue;
        int bucket = bucket(hash);
        boolean done =
                replace(bucket, old, newEntry)
                        || replace(other(bucket, fingerprint), old, newEntry);
        refused += done ? 0 : 1;
        return done;
    }

    @Override
    public boolean update(long hash, int oldValue, int newValue) {
        return change(hash, oldValue, fingerprint(hash) << valueBits | newValue);
    }

    @Override
    public boolean remove(long hash, int value) {
        return change(hash, value, 0);
    }

    @Override
    public int values() {
        return values;
    }

    @Override
    public long refused() {
        return refused;
    }

    /** The used bits of each slot. */
    @Override
    public long sizeInBytes() {
        return (long) slots.length * (fingerprintBits + valueBits) / Byte.SIZE;
    }
}
