/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.format.Persistent;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * What one side tells the other about its multiset: a counting cuckoo filter of it, and a checksum.
 * Immutable, so safe for use by several threads.
 *
 * <p>Hashes are remixed with a seed before they go into the filter. Two elements that collide under
 * one seed are unlikely to under another: what a first exchange missed, a second one with another
 * seed finds. The checksum tells whether one is needed.
 */
public final class MultisetDigest implements Persistent {

    private final CountingCuckooFilter filter;
    private final Collisions collisions;
    private final long seed;
    private final Totals totals;

    /**
     * The exact properties of a multiset, independent of the order of its elements.
     *
     * @param elements different elements
     * @param copies sum of their multiplicities, modulo 2^64
     * @param checksum sum of remixed hash times multiplicity, modulo 2^64
     */
    public record Totals(long elements, long copies, long checksum) {}

    MultisetDigest(CountingCuckooFilter filter, Collisions collisions, long seed, Totals totals) {
        this.filter = filter;
        this.collisions = collisions;
        this.seed = seed;
        this.totals = totals;
    }

    /**
     * A digest of {@code set}. Both sides need the same shape, seed and way with collisions.
     * Deterministic, but the order of the elements decides which slots they take. O(elements).
     *
     * @param shape with at least as many slots as the larger side has elements, and some to spare:
     *     {@link CuckooShape#sized} finds one. Multiplicities of {@link CuckooShape#maxCount} and
     *     more cannot be told apart
     * @throws io.sluice.filter.FilterFullException if the shape has too few slots
     */
    public static MultisetDigest of(
            RootSet set, CuckooShape shape, Collisions collisions, long seed) {
        CountingCuckooFilter filter = CountingCuckooFilter.create(shape, Storage.HEAP);
        long[] sums = new long[3];
        set.forEach(
                (hash, multiplicity) -> {
                    checkMultiplicity(multiplicity);
                    long remixed = remix(hash, seed);
                    if (collisions == Collisions.SEPARATE) {
                        filter.insertSeparately(remixed, multiplicity);
                    } else {
                        filter.insert(remixed, multiplicity);
                    }
                    sums[0]++;
                    sums[1] += multiplicity;
                    sums[2] += remixed * multiplicity;
                });
        return new MultisetDigest(filter, collisions, seed, new Totals(sums[0], sums[1], sums[2]));
    }

    static void checkMultiplicity(long multiplicity) {
        if (multiplicity < 1) {
            throw new IllegalArgumentException(
                    "multiplicity must be at least 1, got "
                            + multiplicity
                            + ": leave out elements that have no copies");
        }
    }

    /** A permutation of the hashes for every seed. */
    static long remix(long hash, long seed) {
        return Hashing.mix(hash ^ Hashing.mix(seed));
    }

    /**
     * Whether the two sides' multisets are equal: certainly not if false; equal if true, except
     * with a chance of about 2^-64.
     *
     * @throws IllegalArgumentException if the digests have different seeds
     */
    public boolean tellsTheSameSetAs(MultisetDigest other) {
        if (seed != other.seed) {
            throw new IllegalArgumentException(
                    "digests must have the same seed to be compared, got "
                            + seed
                            + " and "
                            + other.seed);
        }
        return totals.equals(other.totals);
    }

    /** What both digests must have in common. */
    void checkComparable(MultisetDigest other) {
        if (seed != other.seed
                || collisions != other.collisions
                || !filter.shape().equals(other.filter.shape())) {
            throw new IllegalArgumentException(
                    "digests must have the same shape, seed and way with collisions, got "
                            + this
                            + " and "
                            + other
                            + ": build both alike");
        }
    }

    /** The filter, of remixed hashes. Not to be changed. */
    CountingCuckooFilter filter() {
        return filter;
    }

    public CuckooShape shape() {
        return filter.shape();
    }

    public Collisions collisions() {
        return collisions;
    }

    public long seed() {
        return seed;
    }

    public Totals totals() {
        return totals;
    }

    /** Bytes that {@link #writeTo} writes. */
    public long serializedBytes() {
        return MultisetDigestFormat.bytes(filter.shape());
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        MultisetDigestFormat.write(this, out);
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static MultisetDigest readFrom(InputStream in, String source) throws IOException {
        return MultisetDigestFormat.read(in, source);
    }

    @Override
    public String toString() {
        return shape() + ", seed " + seed + ", collisions " + collisions + ", " + totals;
    }
}
