/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.memory.Touches;
import java.io.IOException;
import java.util.Arrays;

/**
 * Words that hold ids in up to 64 planes, one for each slice of time. One lookup says whether any
 * of a selection of planes holds an id.
 *
 * <p>Words are grouped into cache lines. The hash of an id gives a sequence of lines; the id goes
 * into the first that has room, and every line before notes that an id of its plane found none, so
 * that lookups go on to the next. Subclasses define what a line is made of.
 *
 * <p>Time has more slices than an array has planes, so planes are used again, slice after slice, in
 * turn: a round is an epoch. Where a plane holds ids of several epochs at once, a lookup finds only
 * those of the epoch that it asks for.
 *
 * <p>A plane is emptied by a linear sweep over the array, spread over calls of {@link #sweep}: O(1)
 * amortised, no pause. Until the sweep ends, the plane is dirty and must be neither read nor
 * written.
 *
 * <p>Words are on the heap. The first {@value #PADDING} are unused: large arrays begin at a
 * multiple of 64 bytes plus a header of 16, and the padding lets logical cache lines be real ones.
 * Arrays that the collector does not treat as large (for G1, less than half a region) begin at any
 * multiple of 8: their lines straddle two real ones.
 *
 * <p>Not thread-safe, but what is in it can be {@linkplain #pin pinned} for another thread.
 *
 * <p>Internal: public for the filters that are made of planes.
 */
@Internal
public abstract class PlaneArray {

    /** Unused words at the beginning, see above. */
    static final int PADDING = 6;

    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    /** Replaced by a {@link #clear} while this array was pinned. */
    long[] words;

    private final Geometry geometry;
    private final int lineCount;

    /** The most lines of an id. */
    final int maxLines;

    /** Pins that must see the words as they are before a write; null if there are none. */
    private PinnedWords pins;

    /** Planes that the current sweep empties, and planes that wait for the next one. */
    private long sweeping;

    private long waiting;

    /** Next word of the current sweep. */
    private int cursor;

    PlaneArray(Geometry geometry, long[] words) {
        this.geometry = geometry;
        this.words = words;
        this.lineCount = (words.length - PADDING) / Geometry.LINE_WORDS;
        this.maxLines = geometry.lines();
    }

    /** An empty one. */
    public static PlaneArray create(Geometry geometry) {
        return of(geometry, new long[PADDING + geometry.words()]);
    }

    /** Reads what {@link #writeTo} or {@link PinnedWords#writeTo} wrote. */
    public static PlaneArray read(Geometry geometry, FilterReader reader) throws IOException {
        return of(geometry, reader.words(geometry.words(), PADDING));
    }

    private static PlaneArray of(Geometry geometry, long[] padded) {
        return switch (geometry.layout()) {
            case FINGERPRINTS -> new FingerprintTable(geometry, padded);
            case QUOTIENT -> new AgedQuotientTable(geometry, padded);
        };
    }

    /**
     * Whether {@code hash} was put into any of {@code planes} in this epoch, or seems to have been.
     *
     * @param epoch tells apart what is put into the same plane at different times
     * @param planes a bit each; a selection of those that are neither empty nor dirty
     */
    public abstract boolean holds(long hash, long epoch, long planes);

    /**
     * Notes the words that a lookup and insertion of {@code hash} normally need: both ends of its
     * first line. Small arrays are not allocated at multiples of 64 bytes, so a line of ours then
     * lies in two of the processor's.
     */
    public final void touch(long hash, Touches into) {
        int base = base(remix(hash, 0));
        into.add(words, base, base + Geometry.LINE_WORDS - 1);
    }

    /**
     * Puts {@code hash} into a plane.
     *
     * @param plane its bit
     * @return false if there is no room for it; then nothing has changed
     */
    public final boolean set(long hash, long epoch, long plane) {
        int number = Long.numberOfTrailingZeros(plane);
        long z = remix(hash, 0);
        int base = base(z);
        int passed = 0;
        while (!putInto(base, hash, z, epoch, number)) {
            if (++passed == maxLines) {
                return false;
            }
            base = base(remix(hash, passed));
        }
        for (int i = 0; i < passed; i++) {
            int full = base(remix(hash, i));
            beforeWrite(full);
            markFull(full, number);
        }
        return true;
    }

    /**
     * Puts an id into a line, if there is room.
     *
     * @param base first word of the line
     * @param z remix 0 of {@code hash}
     * @param plane its number
     */
    abstract boolean putInto(int base, long hash, long z, long epoch, int plane);

    /** Notes in a line that an id of a plane found no room there. */
    abstract void markFull(int base, int plane);

    /** Returns the planes of ids that found no room in a line. */
    abstract long full(int base);

    /** Returns the number of slots of a line that are used by {@code planes}. */
    abstract int usedSlots(int base, long planes);

    /** Returns the bits of a fingerprint; not always a whole number. */
    abstract double fingerprintBits();

    /**
     * Empties {@code planes} in the words from {@code from} to {@code to} (exclusive), after {@link
     * #beforeWrites} for these: what is pinned of their lines is kept.
     */
    abstract void erase(int from, int to, long planes);

    /**
     * Estimates the probability that an absent id seems to be in any of {@code planes}, from what
     * is stored, in a sample of at most {@code sampleLines} cache lines spread over the array; from
     * all of it if the array is not larger.
     */
    public final double measuredFpp(long planes, int sampleLines) {
        int sampled = Math.min(lineCount, sampleLines);
        long used = 0;
        PassedLines passed = new PassedLines(sampled);
        for (int i = 0; i < sampled; i++) {
            int base = PADDING + (int) ((long) i * lineCount / sampled) * Geometry.LINE_WORDS;
            used += usedSlots(base, planes);
            passed.add(full(base) & planes);
        }
        return FingerprintModel.fpp(
                (double) used / sampled, passed.reached(maxLines, lineCount), fingerprintBits());
    }

    /**
     * Whether everything stored belongs to one of {@code planes} and is where lookups find it: what
     * a reader checks. O(size).
     */
    public abstract boolean holdsOnly(long planes);

    /** First word of the line that the high half of a remix chooses. */
    final int base(long z) {
        return PADDING + (int) (((z >>> 32) * lineCount) >>> 32) * Geometry.LINE_WORDS;
    }

    /** An independent 64-bit hash for every {@code i}, from a hash that is already uniform. */
    static long remix(long hash, int i) {
        long z = hash + i * GOLDEN;
        z = (z ^ (z >>> 32)) * 0xd6e8feb86659fd93L;
        return z ^ (z >>> 32);
    }

    /**
     * What an epoch adds to a fingerprint. The lowest {@code bits} differ in all epochs of a block
     * of 2^bits, because an odd multiple of a number determines it; in others they are independent.
     */
    static long ofEpoch(long epoch, int bits) {
        return epoch * GOLDEN + remix(epoch >> bits, 1);
    }

    /** Its shape. */
    public final Geometry geometry() {
        return geometry;
    }

    /** Planes that are not empty yet although they were retired. */
    public final long dirty() {
        return sweeping | waiting;
    }

    /** Begins to empty {@code planes}. O(1). */
    public final void retire(long planes) {
        waiting |= planes;
        if (sweeping == 0) {
            beginSweep();
        }
    }

    private void beginSweep() {
        sweeping = waiting;
        waiting = 0;
        cursor = PADDING;
    }

    /**
     * Empties retired planes in the next {@code count} words. A plane that is retired during a
     * sweep waits for the next one.
     */
    public final void sweep(int count) {
        for (int left = count; left > 0 && sweeping != 0; ) {
            int end = Math.min(words.length, left + cursor);
            left -= end - cursor;
            beforeWrites(cursor, end);
            erase(cursor, end, sweeping);
            cursor = end;
            if (end == words.length) {
                beginSweep();
            }
        }
    }

    /** Empties all retired planes now: O(size), at most twice. */
    public final void finishSweep() {
        while (sweeping != 0) {
            sweep(words.length);
        }
    }

    /** Empties everything at once. */
    public final void clear() {
        if (pins == null) {
            Arrays.fill(words, 0);
        } else {
            // The pins keep the array, which is cheaper than copying what they have not taken.
            words = new long[words.length];
            pins = null;
        }
        sweeping = 0;
        waiting = 0;
    }

    /** Writes the words; {@link #geometry} and {@link #dirty} are the caller's to write. */
    public final void writeTo(FilterWriter writer) throws IOException {
        writer.words(words, PADDING, geometry.words());
    }

    /** The words as they are now, for another thread to write. To be closed. O(pages). */
    public final PinnedWords pin() {
        pins = PinnedWords.pin(words, pins);
        return pins;
    }

    /**
     * Must be called before a write to words of the cache line of {@code word}: one comparison
     * while nothing is pinned.
     */
    final void beforeWrite(int word) {
        if (pins != null) {
            beforeWrites(word, word + 1);
        }
    }

    private void beforeWrites(int from, int to) {
        pins = PinnedWords.keep(pins, from, to);
    }

    /** Whether there was an open pin at the last write. */
    public final boolean pinned() {
        return pins != null;
    }

    /** Bytes on the heap, without headers. */
    public final long sizeInBytes() {
        return geometry.bytes() + PADDING * Long.BYTES;
    }
}
