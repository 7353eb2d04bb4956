/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

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

    BlockedArray(Geometry geometry, long[] words) {
        super(geometry, words);
        lineCount = lineCount();
        lines = geometry.lines();
        perLine = geometry.perLine();
        sectorShift = Integer.numberOfTrailingZeros(geometry.positionsPerLine() / perLine);
        toShift = Integer.numberOfTrailingZeros(geometry.wordBits());
        toWord = 6 - toShift;
    }

    @Override
    long probe(long hash, long planes) {
        long result = planes;
        int sectorMask = (1 << sectorShift) - 1;
        for (int i = 0; i < lines; i++) {
            long z = remix(hash, i);
            int base = PADDING + (int) (((z >>> 32) * lineCount) >>> 32) * Geometry.LINE_WORDS;
            int choices = (int) z;
            for (int sector = 0; sector < perLine; sector++) {
                int position = (sector << sectorShift) + (choices & sectorMask);
                result &= words[base + (position >>> toWord)] >>> (position << toShift);
                choices >>>= sectorShift;
            }
            if (result == 0) {
                return 0;
            }
        }
        return result;
    }

    @Override
    void set(long hash, long planes) {
        int sectorMask = (1 << sectorShift) - 1;
        for (int i = 0; i < lines; i++) {
            long z = remix(hash, i);
            int base = PADDING + (int) (((z >>> 32) * lineCount) >>> 32) * Geometry.LINE_WORDS;
            int choices = (int) z;
            for (int sector = 0; sector < perLine; sector++) {
                int position = (sector << sectorShift) + (choices & sectorMask);
                words[base + (position >>> toWord)] |= planes << (position << toShift);
                choices >>>= sectorShift;
            }
        }
    }

    @Override
    double measuredFpp(long planes, int maxLines) {
        int sampled = Math.min(lineCount(), maxLines);
        int sectorSize = 1 << sectorShift;
        double sum = 0;
        for (int i = 0; i < sampled; i++) {
            int base = PADDING + (int) ((long) i * lineCount / sampled) * Geometry.LINE_WORDS;
            double pass = 1;
            for (int sector = 0; sector < perLine; sector++) {
                int ones = 0;
                for (int j = 0; j < sectorSize; j++) {
                    int position = (sector << sectorShift) + j;
                    long word = words[base + (position >>> toWord)] >>> (position << toShift);
                    ones += (word & planes) == planes ? 1 : 0;
                }
                pass *= (double) ones / sectorSize;
            }
            sum += pass;
        }
        return Math.pow(sum / sampled, lines);
    }
}
