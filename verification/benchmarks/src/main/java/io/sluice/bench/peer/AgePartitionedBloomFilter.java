/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.capture.SplitMix64;
import java.util.BitSet;

/**
 * The age-partitioned Bloom filter of Shtul, Baquero and Almeida (<i>Age-Partitioned Bloom
 * Filters</i>, 2020): a ring of k + l slices, each with its own hash function. An id sets one bit
 * in each of the k youngest; every {@code generation} ids all slices become one age older and the
 * oldest starts over. An id is held while k consecutive slices have its bits: for at least l
 * generations.
 *
 * <p>A baseline for memory and speed, not for use: it forgets by count, not by time.
 */
public final class AgePartitionedBloomFilter {
    private final int k;
    private final int count;
    private final int generation;
    private final int sliceBits;

    /** Slice of age 0 at {@link #youngest}, older ones behind it, cyclically. */
    private final BitSet[] slices;

    private int youngest;
    private int inGeneration;

    private AgePartitionedBloomFilter(int k, int l, int generation) {
        this.k = k;
        this.count = k + l;
        this.generation = generation;
        // Half of a slice's bits are set after k generations.
        this.sliceBits = (int) Math.ceil(k * (double) generation / Math.log(2));
        this.slices = new BitSet[count];
        for (int i = 0; i < count; i++) {
            slices[i] = new BitSet(sliceBits);
        }
    }

    /**
     * @param k consecutive slices that an id needs
     * @param l generations that are guaranteed to be held
     */
    record Shape(int k, int l) {
        /** Bits per id of the guaranteed window. */
        double bitsPerId() {
            return (k + l) * k / (l * Math.log(2));
        }

        /**
         * The shape with the fewest bits per id whose false-positive probability is at most {@code
         * fpp}.
         */
        static Shape smallest(double fpp, int mostSlices) {
            Shape best = null;
            for (int k = 2; k < mostSlices; k++) {
                for (int l = 1; k + l <= mostSlices; l++) {
                    Shape shape = new Shape(k, l);
                    if ((best == null || shape.bitsPerId() < best.bitsPerId())
                            && shape.falsePositiveProbability() <= fpp) {
                        best = shape;
                    }
                }
            }
            if (best == null) {
                throw new IllegalArgumentException(
                        "fpp " + fpp + " needs more than " + mostSlices + " slices");
            }
            return best;
        }

        /**
         * Probability of a run of k hits in k + l slices, the youngest of which are still filling
         * (taken as full to their last id: the worst moment). Section 4 of the paper, as a Markov
         * chain over the length of the run so far.
         */
        double falsePositiveProbability() {
            double[] run = new double[k + 1];
            run[0] = 1;
            for (int age = 0; age < k + l; age++) {
                double generations = Math.min(age + 1, k);
                double fill = 1 - Math.pow(0.5, generations / k);
                double[] next = new double[k + 1];
                next[k] = run[k];
                for (int length = 0; length < k; length++) {
                    next[length + 1] += run[length] * fill;
                    next[0] += run[length] * (1 - fill);
                }
                run = next;
            }
            return run[k];
        }
    }

    /** A filter for {@code fpp} that holds at least the last {@code window} ids. */
    public static AgePartitionedBloomFilter create(double fpp, int window, int mostSlices) {
        Shape shape = Shape.smallest(fpp, mostSlices);
        return new AgePartitionedBloomFilter(
                shape.k(), shape.l(), (window + shape.l() - 1) / shape.l());
    }

    public void add(long hash) {
        if (inGeneration == generation) {
            shift();
        }
        inGeneration++;
        for (int age = 0; age < k; age++) {
            int slice = (youngest + age) % count;
            slices[slice].set(position(hash, slice));
        }
    }

    private void shift() {
        youngest = (youngest + count - 1) % count;
        slices[youngest].clear();
        inGeneration = 0;
    }

    /**
     * Algorithm 2 of the paper, in its simple form: finds a run of k slices, from the youngest to
     * the oldest.
     */
    public boolean mightContain(long hash) {
        int run = 0;
        for (int age = 0; age < count && run + count - age >= k; age++) {
            int slice = (youngest + age) % count;
            if (slices[slice].get(position(hash, slice))) {
                if (++run == k) {
                    return true;
                }
            } else {
                run = 0;
            }
        }
        return false;
    }

    private int position(long hash, int slice) {
        return (int)
                Math.multiplyHigh(
                        SplitMix64.mix(hash + slice * SplitMix64.GAMMA) >>> 1, 2L * sliceBits);
    }

    /** Slices per id and generations held, for tables. */
    public String shape() {
        return "k=" + k + " l=" + (count - k);
    }

    public long sizeInBits() {
        return (long) count * sliceBits;
    }
}
