/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

/**
 * A table of fingerprints, each with the number of its plane (its age) as a tag. An id is stored
 * once, normally in the one cache line that its hash chooses: a lookup, an insertion and both
 * together are one cache miss, where Bloom filters need one for each line of positions.
 *
 * <pre>
 *   line = 8 words; word i of a line:
 *
 *   63 62             lane L-1               lane 0
 *   +---+---+-------+---------------+   +---------------+
 *   | o | o | (pad) | age | f bits  |...| age | f bits  |    age: 4 bits; f: fingerprint, 0 = empty
 *   +---+---+-------+---------------+   +---------------+
 *     |   |
 *     |   an id of plane i did not find room in this line
 *     an id of plane i + 8 did not find room in this line
 * </pre>
 *
 * The hash of an id gives a sequence of lines. The id goes into the first that has an empty slot;
 * in every line before, which was full, the bit <i>o</i> of its plane is set. So a lookup goes on
 * to the next line only while some plane that is asked for has that bit in all lines so far, which
 * is rare until the table is nearly full. When all lines of an id are full, the id is refused:
 * however full the table is, an absent id is reported only if its fingerprint is in one of its
 * lines. Bits are kept for each plane because planes need not be retired in the order in which they
 * were opened.
 *
 * <p>The fingerprint also depends on the epoch, the line does not: so an id of all epochs is looked
 * for in one cache line. Fingerprints of an id in two epochs of a block of 2^f differ (but for 0,
 * which counts as 1), see {@link #ofEpoch}.
 *
 * <p>Invariant: a fingerprint in a line is never moved, and slots become free only by {@link
 * #erase}, which clears the plane's bits <i>o</i> in the same words; where an id passed a line, its
 * plane's bit is set there as long as the plane lives.
 *
 * <p>The idea is that of a cuckoo or vector quotient filter's bucket; nothing needs to be moved
 * because the whole hash is at hand whenever the table is used.
 *
 * <p>Not thread-safe.
 */
final class FingerprintTable extends PlaneArray {

    /** Planes are numbered with as many bits. */
    static final int AGE_BITS = 4;

    private static final long AGE_MASK = (1 << AGE_BITS) - 1;

    /** The lower of the two bits of a word that say that ids found no room in its line. */
    private static final int FULL_BIT = 62;

    private static final long FULL_BITS = 3L << FULL_BIT;

    private final int fingerprintBits;
    private final long fingerprintMask;

    /** Bits of a lane: the fingerprint's and the age's. */
    private final int laneBits;

    /** The lowest bit of every lane. */
    private final long lowest;

    /** All bits of the fingerprints of all lanes. */
    private final long fingerprints;

    /** The lowest age bit of every lane: where the sum in {@link #zeroes} carries to. */
    private final long carries;

    FingerprintTable(Geometry geometry, long[] words) {
        super(geometry, words);
        fingerprintBits = geometry.perLine();
        fingerprintMask = (1L << fingerprintBits) - 1;
        laneBits = fingerprintBits + AGE_BITS;
        long ones = 0;
        for (int lane = 0; lane < lanesPerWord(fingerprintBits); lane++) {
            ones |= 1L << (lane * laneBits);
        }
        lowest = ones;
        fingerprints = ones * fingerprintMask;
        carries = ones << fingerprintBits;
    }

    /** Slots in a word: two bits are needed for the marks of a full line. */
    static int lanesPerWord(int fingerprintBits) {
        return FULL_BIT / (fingerprintBits + AGE_BITS);
    }

    /** The longest fingerprint with which this many slots fit into a word. */
    static int fingerprintBits(int lanesPerWord) {
        return FULL_BIT / lanesPerWord - AGE_BITS;
    }

    /**
     * Has the {@link #carries} bit of every lane whose fingerprint bits in {@code x} are not all 0,
     * and other bits. Exact: adding all ones to f bits carries into bit f iff they are not all 0,
     * and never further.
     */
    private long nonZero(long x) {
        return (x & fingerprints) + fingerprints;
    }

    /** The {@link #carries} bit of every lane whose fingerprint bits in {@code x} are all 0. */
    private long zeroes(long x) {
        return ~nonZero(x) & carries;
    }

    /** Never 0, which means empty. */
    private long fingerprint(long z, long epoch) {
        long fingerprint = z + ofEpoch(epoch, fingerprintBits) & fingerprintMask;
        return fingerprint == 0 ? 1 : fingerprint;
    }

    @Override
    public boolean holds(long hash, long epoch, long planes) {
        long z = remix(hash, 0);
        long pattern = fingerprint(z, epoch) * lowest;
        long asked = planes;
        int base = base(z);
        for (int i = 1; ; i++) {
            long w0 = words[base];
            long w1 = words[base + 1];
            long w2 = words[base + 2];
            long w3 = words[base + 3];
            long w4 = words[base + 4];
            long w5 = words[base + 5];
            long w6 = words[base + 6];
            long w7 = words[base + 7];
            long differing =
                    nonZero(w0 ^ pattern)
                            & nonZero(w1 ^ pattern)
                            & nonZero(w2 ^ pattern)
                            & nonZero(w3 ^ pattern)
                            & nonZero(w4 ^ pattern)
                            & nonZero(w5 ^ pattern)
                            & nonZero(w6 ^ pattern)
                            & nonZero(w7 ^ pattern)
                            & carries;
            if (differing != carries && (holding(base, pattern) & planes) != 0) {
                return true;
            }
            if (((w0 | w1 | w2 | w3 | w4 | w5 | w6 | w7) & FULL_BITS) == 0) {
                return false;
            }
            asked &= full(base);
            if (asked == 0 || i == maxLines) {
                return false;
            }
            base = base(remix(hash, i));
        }
    }

    /** The planes of the slots in a line that hold the fingerprint in {@code pattern}. */
    private long holding(int base, long pattern) {
        long planes = 0;
        for (int i = base; i < base + Geometry.LINE_WORDS; i++) {
            long word = words[i];
            for (long left = zeroes(word ^ pattern); left != 0; left &= left - 1) {
                planes |= 1L << (word >>> Long.numberOfTrailingZeros(left) & AGE_MASK);
            }
        }
        return planes;
    }

    @Override
    long full(int base) {
        long planes = 0;
        for (int i = 0; i < Geometry.LINE_WORDS; i++) {
            long marks = words[base + i] >>> FULL_BIT;
            planes |= ((marks & 1) | (marks & 2) << 7) << i;
        }
        return planes;
    }

    @Override
    boolean putInto(int base, long hash, long z, long epoch, int plane) {
        // Each id starts at a word of its own, or the first words would fill up.
        int first = (int) (hash >>> 58) & 7;
        for (int j = 0; j < Geometry.LINE_WORDS; j++) {
            int at = base + (first + j & 7);
            long word = words[at];
            long empty = zeroes(word);
            if (empty != 0) {
                long slot = fingerprint(z, epoch) | (long) plane << fingerprintBits;
                int shift = Long.numberOfTrailingZeros(empty) - fingerprintBits;
                beforeWrite(at);
                words[at] = word | slot << shift;
                return true;
            }
        }
        return false;
    }

    @Override
    void markFull(int base, int plane) {
        words[base + (plane & 7)] |= mark(plane);
    }

    /**
     * The bit in word {@code plane & 7} of a line that says that an id of it found no room there.
     */
    private static long mark(int plane) {
        return 1L << (FULL_BIT + (plane >>> 3));
    }

    @Override
    void erase(int from, int to, long planes) {
        long lane = (1L << laneBits) - 1;
        for (int i = from; i < to; i++) {
            long word = words[i];
            long ages = word >>> fingerprintBits & lowest * AGE_MASK;
            long erased = 0;
            for (long left = planes; left != 0; left &= left - 1) {
                long differing = ages ^ lowest * Long.numberOfTrailingZeros(left);
                // As in zeroes: 15 more than 0 to 15 reaches bit 4 iff it was not 0.
                erased |= ~(differing + lowest * AGE_MASK) >>> AGE_BITS & lowest;
            }
            int plane = i - PADDING & Geometry.LINE_WORDS - 1;
            words[i] = word & ~(erased * lane | marks(plane, planes));
        }
    }

    /** The marks that word {@code i} of a line may have of these planes. */
    private static long marks(int i, long planes) {
        return ((planes >>> i & 1) | (planes >>> (i + 8) & 1) << 1) << FULL_BIT;
    }

    @Override
    public boolean holdsOnly(long planes) {
        long padding = ~(FULL_BITS | lowest * ((1L << laneBits) - 1));
        for (int i = PADDING; i < words.length; i++) {
            long word = words[i];
            int plane = i - PADDING & Geometry.LINE_WORDS - 1;
            if ((word & (padding | (FULL_BITS & ~marks(plane, planes)))) != 0) {
                return false;
            }
            for (long lanes = lowest; lanes != 0; lanes &= lanes - 1) {
                long lane = word >>> Long.numberOfTrailingZeros(lanes);
                long age = lane >>> fingerprintBits & AGE_MASK;
                boolean empty = (lane & fingerprintMask) == 0;
                if (empty ? age != 0 : (planes >>> age & 1) == 0) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    double fingerprintBits() {
        return fingerprintBits;
    }

    @Override
    int usedSlots(int base, long planes) {
        int slots = 0;
        for (int i = base; i < base + Geometry.LINE_WORDS; i++) {
            long word = words[i];
            for (long left = carries & ~zeroes(word); left != 0; left &= left - 1) {
                long age = word >>> Long.numberOfTrailingZeros(left) & AGE_MASK;
                slots += (int) (planes >>> age) & 1;
            }
        }
        return slots;
    }
}
