/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import io.sluice.bench.rate.NamedStructure;
import io.sluice.bench.rate.RemovableStructure;
import io.sluice.bench.rate.SlottedStructure;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.quotient.QuotientFilter;

/** The quotient filter, one operation at a time. */
public final class QuotientStructure extends NamedStructure
        implements RemovableStructure, SlottedStructure {
    private final int quotientBits;
    private final int remainderBits;
    private QuotientFilter filter;

    /** Filled to {@code load}, at most 0.95, of {@code slots}, a power of two. */
    public QuotientStructure(int slots, int remainderBits, double load) {
        super("quotient", "quotient filter r " + remainderBits, (long) (slots * load));
        if (slots < 2 || Integer.bitCount(slots) != 1) {
            throw new IllegalArgumentException(
                    "slots must be a power of two and at least 2, got " + slots);
        }
        this.quotientBits = Integer.numberOfTrailingZeros(slots);
        this.remainderBits = remainderBits;
    }

    /** A little room beyond the load, for measurements that add to a full filter. */
    static QuotientFilter create(int quotientBits, int remainderBits) {
        return QuotientFilter.builder().bits(quotientBits, remainderBits).maxLoad(0.97).build();
    }

    @Override
    public void begin() {
        filter = create(quotientBits, remainderBits);
    }

    @Override
    public void insert(long key) {
        filter.insert(Hashing.hash(key));
    }

    @Override
    public boolean contains(long key) {
        return filter.mightContain(Hashing.hash(key));
    }

    @Override
    public boolean addIfAbsent(long key) {
        return filter.add(Hashing.hash(key));
    }

    @Override
    public boolean remove(long key) {
        return filter.remove(Hashing.hash(key));
    }

    @Override
    public long sizeInBytes() {
        return filter.sizeInBytes();
    }

    @Override
    public long slots() {
        return 1L << quotientBits;
    }

    @Override
    public void end() {
        filter = null;
    }

    QuotientFilter filter() {
        return filter;
    }
}
