/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import io.sluice.filter.cuckoo.sync.RootSet;
import io.sluice.filter.hash.Hashing;
import java.nio.ByteBuffer;

/**
 * Some hundred bytes from which the other side estimates how many elements the two multisets do not
 * have equally often: it tells how many coded symbols are needed, or whether a filter takes fewer
 * bytes. Immutable, so safe for use by several threads.
 *
 * <p>Source: Alon, Matias, Szegedy, <i>The Space Complexity of Approximating the Frequency
 * Moments</i> (1996), section 2.2: each counter is a sum of random signs, one for each element, and
 * the mean square of a counter is the number of elements. The sketch of a difference is the
 * difference of the sketches, which Gong et al., <i>Space- and Computationally-Efficient Set
 * Reconciliation via Parity Bitmap Sketch</i> (2020), use to choose the size of the exchange that
 * follows. Departures:
 *
 * <ul>
 *   <li><b>Multisets.</b> An element adds to each counter the mean of two signs, one of the element
 *       and one of the element and its multiplicity together. So an element that only one side has
 *       weighs as much as one that both have, but not equally often, whatever the multiplicities:
 *       both are one difference. With a sign of the pair alone the latter would be two.
 *   <li><b>Signs are keyed</b> with the secret of the exchange, so that nobody can choose elements
 *       that hide each other. The averages of the source need limited independence only.
 *   <li><b>The mean</b> of all counters, rather than a median of means: a margin for the standard
 *       error is all that is needed here.
 * </ul>
 *
 * <p>The estimate has no bias, and a relative standard error of {@link #relativeError}. Equal
 * multisets have the estimate 0.
 */
public final class DifferenceSketch {

    /** The counters of a word: one for each bit of a hash. */
    private static final int COUNTERS = Long.SIZE;

    private static final int MAX_WORDS = 4;

    /** From so many elements on, another word is small beside what is sent because of it. */
    private static final int ELEMENTS_PER_WORD = 1 << 12;

    /** Key, words, and bits of a counter. */
    private static final int FIXED_BYTES = 2 * Long.BYTES + 2;

    private final ExchangeKey key;
    private final int[] counters;

    private DifferenceSketch(ExchangeKey key, int[] counters) {
        this.key = key;
        this.counters = counters;
    }

    /**
     * Returns the sketch of a multiset, which has 64 counters, and up to 256 if there are many
     * elements. Two hashes an element, and up to 128 additions.
     *
     * @param elements how many the multiset has, about
     * @throws IllegalArgumentException if a multiplicity is less than 1
     */
    public static DifferenceSketch of(RootSet set, long elements, ExchangeKey key) {
        long words = Math.max(1, Math.min(MAX_WORDS, elements / ELEMENTS_PER_WORD));
        return new DifferenceSketch(key, counters(set, key, (int) words));
    }

    private static int[] counters(RootSet set, ExchangeKey key, int words) {
        SipHash hashing = new SipHash(key);
        int[] counters = new int[words * COUNTERS];
        set.forEach(
                (hash, multiplicity) -> {
                    if (multiplicity < 1) {
                        throw new IllegalArgumentException(
                                "multiplicity must be at least 1, got " + multiplicity);
                    }
                    long element = hashing.hash(hash);
                    long pair = hashing.hash(element + multiplicity);
                    for (int word = 0; word < words; word++) {
                        add(Hashing.mix(element), Hashing.mix(pair), counters, word * COUNTERS);
                        element = SymbolIndexes.advance(element);
                        pair = SymbolIndexes.advance(pair);
                    }
                });
        return counters;
    }

    /** Adds the mean of two signs each: 0 if they are not the same. */
    private static void add(long signs, long others, int[] counters, int from) {
        for (long left = signs & others; left != 0; left &= left - 1) {
            counters[from + Long.numberOfTrailingZeros(left)]++;
        }
        for (long left = ~(signs | others); left != 0; left &= left - 1) {
            counters[from + Long.numberOfTrailingZeros(left)]--;
        }
    }

    /**
     * Estimates how many elements the multiset of the sketch and another do not have equally often.
     *
     * @throws IllegalArgumentException if a multiplicity is less than 1
     */
    public double differing(RootSet other) {
        int[] others = counters(other, key, counters.length / COUNTERS);
        double squares = 0;
        for (int i = 0; i < counters.length; i++) {
            double rest = (double) counters[i] - others[i];
            squares += rest * rest;
        }
        // The mean of two signs has a mean square of one half.
        return 2 * squares / counters.length;
    }

    /** The standard error of an estimate as a share of what is estimated. */
    public double relativeError() {
        return Math.sqrt(2.0 / counters.length);
    }

    /** Bytes that {@link #write} writes. */
    public int encodedBytes() {
        return FIXED_BYTES + Byte.SIZE * words() * counterBits();
    }

    private int words() {
        return counters.length / COUNTERS;
    }

    private int counterBits() {
        int all = 0;
        for (int counter : counters) {
            all |= zigzag(counter);
        }
        return Integer.SIZE - Integer.numberOfLeadingZeros(all);
    }

    private static int zigzag(int counter) {
        return (counter << 1) ^ (counter >> 31);
    }

    /**
     * Writes the sketch: key (16), words (1), bits of a counter (1), and for each word, from the
     * lowest bit to the highest, that bit of its 64 counters (8). Counters are zigzag coded (0, -1,
     * 1, -2, ...), in as many bits as the greatest needs. Equal sketches are equal bytes.
     *
     * @param to a little-endian buffer with room for {@link #encodedBytes}
     */
    public void write(ByteBuffer to) {
        int bits = counterBits();
        to.putLong(key.low()).putLong(key.high()).put((byte) words()).put((byte) bits);
        for (int word = 0; word < words(); word++) {
            for (int bit = 0; bit < bits; bit++) {
                long plane = 0;
                for (int i = 0; i < COUNTERS; i++) {
                    plane |= (zigzag(counters[word * COUNTERS + i]) >>> bit & 1L) << i;
                }
                to.putLong(plane);
            }
        }
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @param from a little-endian buffer
     * @throws IllegalArgumentException if it was not written so
     */
    public static DifferenceSketch read(ByteBuffer from) {
        if (from.remaining() < FIXED_BYTES) {
            throw new IllegalArgumentException("a sketch of " + from.remaining() + " bytes");
        }
        ExchangeKey key = new ExchangeKey(from.getLong(), from.getLong());
        int words = from.get();
        int bits = from.get();
        if (words < 1 || words > MAX_WORDS || bits < 0 || bits > Integer.SIZE) {
            throw new IllegalArgumentException(
                    "a sketch of " + words + " words and counters of " + bits + " bits");
        }
        if (from.remaining() < Byte.SIZE * words * bits) {
            throw new IllegalArgumentException("ends inside a sketch");
        }
        int[] counters = new int[words * COUNTERS];
        for (int word = 0; word < words; word++) {
            for (int bit = 0; bit < bits; bit++) {
                long plane = from.getLong();
                for (int i = 0; i < COUNTERS; i++) {
                    counters[word * COUNTERS + i] |= (int) (plane >>> i & 1) << bit;
                }
            }
        }
        for (int i = 0; i < counters.length; i++) {
            counters[i] = (counters[i] >>> 1) ^ -(counters[i] & 1);
        }
        DifferenceSketch sketch = new DifferenceSketch(key, counters);
        if (sketch.counterBits() != bits) {
            throw new IllegalArgumentException(
                    "counters of " + bits + " bits, but " + sketch.counterBits() + " are enough");
        }
        return sketch;
    }

    @Override
    public String toString() {
        return "a sketch of " + counters.length + " counters";
    }
}
