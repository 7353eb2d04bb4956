/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A buffering Bloom filter on disk: all memory holds positions of bits to set, four bytes each;
 * when it is full, they are grouped and set in one sweep over the file, from front to back like an
 * elevator. That is the buffered Bloom filter of Canim, Mihaila, Bhattacharjee, Lang and Ross
 * (Buffered Bloom Filters on Solid State Storage, ADMS 2010) with one buffer for the whole file,
 * the cascade filter paper's elevator Bloom filter.
 *
 * <p>The buffer is in order of arrival, so a lookup would have to sweep first. Therefore it takes
 * part only in insertion.
 */
final class ElevatorBloomFile extends BloomFile {
    /** Bits of a region, whose positions fit an int. */
    private static final int REGION_SHIFT = 32;

    /** Shift from a position in a region to the number of its chunk. */
    private static final int CHUNK_SHIFT = Integer.numberOfTrailingZeros(8 * CHUNK_BYTES);

    static final int CHUNKS = 1 << (REGION_SHIFT - CHUNK_SHIFT);

    /** Pending positions in each region, the lowest 32 bits of them. */
    private final int[][] pending;

    private final int[] count;
    private final ByteBuffer chunk = DirectFile.buffer(CHUNK_BYTES);

    /**
     * An empty filter for {@code keys} keys in the new file {@code path}.
     *
     * @param memoryBytes for positions; a 1 MiB chunk of the file is additional
     */
    ElevatorBloomFile(Path path, long keys, double fpp, long memoryBytes) throws IOException {
        super(path, keys, fpp);
        int regions = (int) ((8 * diskBytes() - 1) >>> REGION_SHIFT) + 1;
        long each = memoryBytes / Integer.BYTES / regions;
        if (each < functions() || each > 1 << 30) {
            throw new IllegalArgumentException(
                    "memoryBytes must hold the positions of a key, at most 4 GiB for each 2^32"
                            + " bits, got "
                            + memoryBytes);
        }
        pending = new int[regions][(int) each];
        count = new int[regions];
    }

    @Override
    void set(long bit) throws IOException {
        int region = (int) (bit >>> REGION_SHIFT);
        if (count[region] == pending[region].length) {
            flush();
        }
        pending[region][count[region]++] = (int) bit;
    }

    /** Reads, changes and writes every chunk that has a bit to set. */
    @Override
    void flush() throws IOException {
        for (int region = 0; region < pending.length; region++) {
            int[] grouped = pending[region];
            int[] ends = groupByChunk(grouped, count[region]);
            int i = 0;
            for (int number = 0; number < CHUNKS; number++) {
                if (i == ends[number]) {
                    continue;
                }
                long at = ((long) region << REGION_SHIFT >>> 3) + (long) number * CHUNK_BYTES;
                chunk.clear().limit((int) Math.min(CHUNK_BYTES, diskBytes() - at));
                read(chunk, at);
                for (; i < ends[number]; i++) {
                    set(chunk, grouped[i] & (1 << CHUNK_SHIFT) - 1);
                }
                write(chunk.flip(), at);
            }
            count[region] = 0;
        }
    }

    /**
     * Groups by chunk, in place: a second copy would take memory that the others do not have. The
     * order within a chunk does not matter, as a chunk is in memory while its bits are set. Returns
     * where the positions of each chunk end.
     */
    static int[] groupByChunk(int[] values, int count) {
        int[] ends = new int[CHUNKS];
        for (int i = 0; i < count; i++) {
            ends[values[i] >>> CHUNK_SHIFT]++;
        }
        int[] next = new int[CHUNKS];
        for (int number = 1; number < CHUNKS; number++) {
            next[number] = ends[number - 1];
            ends[number] += ends[number - 1];
        }
        // Every exchange brings one position to its group, and each group's own loop ends full.
        for (int number = 0; number < CHUNKS; number++) {
            while (next[number] < ends[number]) {
                int value = values[next[number]];
                int home = value >>> CHUNK_SHIFT;
                values[next[number]] = values[next[home]];
                values[next[home]++] = value;
            }
        }
        return ends;
    }
}
