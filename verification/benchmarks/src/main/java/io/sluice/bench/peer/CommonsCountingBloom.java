/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.bench.rate.NamedStructure;
import io.sluice.bench.rate.RemovableStructure;
import io.sluice.capture.SplitMix64;
import java.util.function.IntPredicate;
import org.apache.commons.collections4.bloomfilter.ArrayCountingBloomFilter;
import org.apache.commons.collections4.bloomfilter.CellExtractor;
import org.apache.commons.collections4.bloomfilter.Shape;

/**
 * The counting Bloom filter of Apache Commons Collections: counters of 32 bits. It has no operation
 * that adds absent keys, so it is looked up first.
 *
 * <p>It gets its cells from our hasher, which is made once. With its own hashers every change would
 * go through a new set of bits as long as the filter.
 */
public final class CommonsCountingBloom extends NamedStructure implements RemovableStructure {
    private final Shape shape;
    private final Probes probes;
    private ArrayCountingBloomFilter filter;

    public CommonsCountingBloom(long keys, double fpp) {
        super("commonsCountingBloom", "Commons counting Bloom", keys);
        shape = Shape.fromNP(Math.toIntExact(keys), fpp);
        probes = new Probes(shape);
    }

    /** The cells of a key, each with a count of one. */
    private static final class Probes implements CellExtractor {
        private final int count;
        private final long cells;
        private long first;
        private long step;

        Probes(Shape shape) {
            count = shape.getNumberOfHashFunctions();
            cells = shape.getNumberOfBits();
        }

        Probes of(long key) {
            first = key;
            step = SplitMix64.mix(key) | 1;
            return this;
        }

        private int cell(int i) {
            return (int) Math.multiplyHigh((first + i * step) >>> 1, 2 * cells);
        }

        @Override
        public boolean processCells(CellPredicate consumer) {
            for (int i = 0; i < count; i++) {
                if (!consumer.test(cell(i), 1)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public boolean processIndices(IntPredicate consumer) {
            for (int i = 0; i < count; i++) {
                if (!consumer.test(cell(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    @Override
    public void begin() {
        filter = new ArrayCountingBloomFilter(shape);
    }

    @Override
    public void insert(long key) {
        filter.add(probes.of(key));
    }

    @Override
    public boolean contains(long key) {
        return filter.contains(probes.of(key));
    }

    @Override
    public boolean remove(long key) {
        return filter.contains(probes.of(key)) && filter.subtract(probes);
    }

    @Override
    public long sizeInBytes() {
        return (long) shape.getNumberOfBits() * Integer.BYTES;
    }

    @Override
    public void end() {
        filter = null;
    }
}
