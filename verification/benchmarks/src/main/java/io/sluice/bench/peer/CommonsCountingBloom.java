/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.capture.traffic.SplitMix64;
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
final class CommonsCountingBloom implements Structure {
    private final Shape shape;
    private final Probes probes;
    private final ArrayCountingBloomFilter filter;

    CommonsCountingBloom(Peer.Size size) {
        shape = Shape.fromNP(Math.toIntExact(size.keys()), size.fpp());
        probes = new Probes(shape);
        filter = new ArrayCountingBloomFilter(shape);
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

        @Override
        public boolean processCells(CellPredicate consumer) {
            return processIndices(cell -> consumer.test(cell, 1));
        }

        @Override
        public boolean processIndices(IntPredicate consumer) {
            for (int i = 0; i < count; i++) {
                if (!consumer.test((int) Math.multiplyHigh((first + i * step) >>> 1, 2 * cells))) {
                    return false;
                }
            }
            return true;
        }
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
}
