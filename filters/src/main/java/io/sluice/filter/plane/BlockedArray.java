/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.memory.Touches;

/**
 * An id's positions lie in a few cache lines that are chosen independently. A line is divided into
 * equal sectors, and the id has one position in each sector of each of its lines.
 *
 * <p>Sectors make the positions of an id in a line distinct, and independent given how many ids
 * share the line: the false-positive probability has a simple exact form ({@link
 * FalsePositiveModel#blocked}).
 */
final class BlockedArray extends SlicedArray {

    private final long lineCount;
    private final int lines;
    private final int perLine;

    /** Positions per sector, as a power of two. */
    private final int sectorShift;

    private final int toShift;
    private final int toWord;

    /** Whether {@link #fourOfSixteen} applies. */
    private final boolean unrolled;

    /** The lowest bit of every position of a word. */
    private final long lowestBits;

    BlockedArray(Geometry geometry, long[] words) {
        super(geometry, words);
        lineCount = lineCount();
        lines = geometry.lines();
        perLine = geometry.perLine();
        sectorShift = Integer.numberOfTrailingZeros(geometry.positionsPerLine() / perLine);
        toShift = Integer.numberOfTrailingZeros(geometry.wordBits());
        toWord = 6 - toShift;
        unrolled = geometry.wordBits() == Byte.SIZE && perLine == 4;
        lowestBits = Long.divideUnsigned(-1L, -1L >>> (Long.SIZE - geometry.wordBits()));
    }

    @Override
    public long probe(long hash, long planes) {
        long result = planes;
        for (int i = 0; i < lines; i++) {
            long z = remix(hash, i);
            result &= unrolled ? fourOfSixteen(base(z), (int) z) : sectors(base(z), (int) z);
            // An absent id seldom passes its first line, and then the others are not fetched.
            if (result == 0) {
                return 0;
            }
        }
        return result;
    }

    @Override
    void touch(long hash, Touches into) {
        for (int i = 0; i < lines; i++) {
            int base = base(remix(hash, i));
            into.add(words, base, base + Geometry.LINE_WORDS - 1);
        }
    }

    /** First word of the line that the high half of a remix chooses. */
    private int base(long z) {
        return PADDING + (int) (((z >>> 32) * lineCount) >>> 32) * Geometry.LINE_WORDS;
    }

    /** The usual shape, four sectors of 16 positions, without a loop and its variables. */
    private long fourOfSixteen(int base, int choices) {
        int a = choices & 15;
        int b = 16 + ((choices >>> 4) & 15);
        int c = 32 + ((choices >>> 8) & 15);
        int d = 48 + ((choices >>> 12) & 15);
        return (words[base + (a >>> 3)] >>> (a << 3))
                & (words[base + (b >>> 3)] >>> (b << 3))
                & (words[base + (c >>> 3)] >>> (c << 3))
                & (words[base + (d >>> 3)] >>> (d << 3));
    }

    /** As {@link #fourOfSixteen}; the four words are different ones of the line. */
    private void setFourOfSixteen(int base, int choices, long planes) {
        int a = choices & 15;
        int b = 16 + ((choices >>> 4) & 15);
        int c = 32 + ((choices >>> 8) & 15);
        int d = 48 + ((choices >>> 12) & 15);
        beforeWrite(base);
        words[base + (a >>> 3)] |= planes << (a << 3);
        words[base + (b >>> 3)] |= planes << (b << 3);
        words[base + (c >>> 3)] |= planes << (c << 3);
        words[base + (d >>> 3)] |= planes << (d << 3);
    }

    private long sectors(int base, int choices) {
        int sectorMask = (1 << sectorShift) - 1;
        long result = -1;
        int left = choices;
        for (int sector = 0; sector < perLine; sector++) {
            int position = (sector << sectorShift) + (left & sectorMask);
            result &= words[base + (position >>> toWord)] >>> (position << toShift);
            left >>>= sectorShift;
        }
        return result;
    }

    @Override
    public void add(long hash, long planes) {
        if (unrolled) {
            for (int i = 0; i < lines; i++) {
                long z = remix(hash, i);
                setFourOfSixteen(base(z), (int) z, planes);
            }
            return;
        }
        int sectorMask = (1 << sectorShift) - 1;
        for (int i = 0; i < lines; i++) {
            long z = remix(hash, i);
            int base = base(z);
            int choices = (int) z;
            beforeWrite(base);
            for (int sector = 0; sector < perLine; sector++) {
                int position = (sector << sectorShift) + (choices & sectorMask);
                words[base + (position >>> toWord)] |= planes << (position << toShift);
                choices >>>= sectorShift;
            }
        }
    }

    @Override
    public double measuredFpp(long planes, int maxLines) {
        int sampled = Math.min(lineCount(), maxLines);
        int sectorSize = 1 << sectorShift;
        int sectorBits = sectorSize << toShift;
        int sectorWords = Math.max(1, sectorBits >>> 6);
        long sectorMask = sectorBits >= 64 ? -1 : (1L << sectorBits) - 1;
        double sum = 0;
        for (int i = 0; i < sampled; i++) {
            int base = PADDING + (int) ((long) i * lineCount / sampled) * Geometry.LINE_WORDS;
            double pass = 1;
            for (int sector = 0; sector < perLine; sector++) {
                int firstBit = sector * sectorBits;
                int ones = 0;
                for (int j = 0; j < sectorWords; j++) {
                    long held = held(words[base + (firstBit >>> 6) + j], planes);
                    ones += Long.bitCount((held >>> firstBit) & sectorMask);
                }
                pass *= (double) ones / sectorSize;
            }
            sum += pass;
        }
        return Math.pow(sum / sampled, lines);
    }

    /** One bit, the lowest, for every position of {@code word} that has all of {@code planes}. */
    private long held(long word, long planes) {
        long held = lowestBits;
        for (long left = planes; left != 0; left &= left - 1) {
            held &= word >>> Long.numberOfTrailingZeros(left);
        }
        return held;
    }
}
