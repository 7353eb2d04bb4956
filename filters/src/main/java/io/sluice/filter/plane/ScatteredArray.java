/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.memory.Touches;

/** Positions anywhere in the array, two from each remix of the hash, by multiply-shift. */
final class ScatteredArray extends SlicedArray {

    private static final long LOW_HALF = 0xffffffffL;

    private final long positions;
    private final int probes;

    /** A position's word is {@code position >>> toWord}, its shift {@code position << toShift}. */
    private final int toWord;

    private final int toShift;

    ScatteredArray(Geometry geometry, long[] words) {
        super(geometry, words);
        positions = geometry.positions();
        probes = geometry.probes();
        toShift = Integer.numberOfTrailingZeros(geometry.wordBits());
        toWord = 6 - toShift;
    }

    @Override
    public long probe(long hash, long planes) {
        long result = planes;
        for (int i = 0; i < probes; i += 2) {
            long z = remix(hash, i);
            result &= at(((z >>> 32) * positions) >>> 32);
            if (i + 1 < probes) {
                result &= at(((z & LOW_HALF) * positions) >>> 32);
            }
            if (result == 0) {
                return 0;
            }
        }
        return result;
    }

    @Override
    void touch(long hash, Touches into) {
        for (int i = 0; i < probes; i += 2) {
            long z = remix(hash, i);
            touchAt(((z >>> 32) * positions) >>> 32, into);
            if (i + 1 < probes) {
                touchAt(((z & LOW_HALF) * positions) >>> 32, into);
            }
        }
    }

    private void touchAt(long position, Touches into) {
        int word = word(position);
        into.add(words, word, word);
    }

    private long at(long position) {
        // Java shifts by the low six bits only: the position within its word.
        return words[word(position)] >>> (position << toShift);
    }

    @Override
    public void add(long hash, long planes) {
        for (int i = 0; i < probes; i += 2) {
            long z = remix(hash, i);
            setAt(((z >>> 32) * positions) >>> 32, planes);
            if (i + 1 < probes) {
                setAt(((z & LOW_HALF) * positions) >>> 32, planes);
            }
        }
    }

    private int word(long position) {
        return PADDING + (int) (position >>> toWord);
    }

    private void setAt(long position, long planes) {
        int word = word(position);
        beforeWrite(word);
        words[word] |= planes << (position << toShift);
    }

    @Override
    public double measuredFpp(long planes, int maxLines) {
        int sampled = Math.min(lineCount(), maxLines);
        long passing = 0;
        for (int i = 0; i < sampled; i++) {
            passing += passing(planes, (int) ((long) i * lineCount() / sampled));
        }
        double fill = (double) passing / ((double) sampled * geometry().positionsPerLine());
        return FalsePositiveModel.fromFill(fill, probes);
    }
}
