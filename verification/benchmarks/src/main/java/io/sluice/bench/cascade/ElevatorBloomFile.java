/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A buffering Bloom filter on disk: all memory holds positions of bits to set, four bytes each;
 * when it is full, they are sorted and set in one sweep over the file, from front to back like an
 * elevator. That is the buffered Bloom filter of Canim, Mihaila, Bhattacharjee, Lang and Ross
 * (Buffered Bloom Filters on Solid State Storage, ADMS 2010) with one buffer for the whole file,
 * the cascade filter paper's elevator Bloom filter.
 *
 * <p>The buffer is in order of arrival, so a lookup has to sweep first. Therefore it takes part
 * only in insertion.
 */
final class ElevatorBloomFile implements DiskFilter {
    /** Bits of a region, whose positions fit an int. */
    private static final int REGION_SHIFT = 32;

    private static final int CHUNK_BYTES = 1 << 20;

    /** Shift from a position in a region to the number of its chunk. */
    private static final int CHUNK_SHIFT = 20 + 3;

    static final int CHUNKS = 1 << (REGION_SHIFT - CHUNK_SHIFT);

    private final DirectFile file;
    private final BloomPositions positions;

    /** Pending positions in each region, the lowest 32 bits of them. */
    private final int[][] pending;

    private final int[] count;
    private final ByteBuffer chunk = DirectFile.buffer(CHUNK_BYTES);
    private long bytesWritten;
    private final int[] chunkEnd = new int[CHUNKS];
    private long groupNanos;

    /**
     * An empty filter for {@code keys} keys in the new file {@code path}.
     *
     * @param memoryBytes for positions; a 1 MiB chunk of the file is additional
     */
    ElevatorBloomFile(Path path, long keys, double fpp, long memoryBytes) throws IOException {
        positions = BloomPositions.forKeys(keys, fpp);
        int regions = (int) ((positions.bits() - 1) >>> REGION_SHIFT) + 1;
        long each = memoryBytes / Integer.BYTES / regions;
        if (each < positions.functions() || each > 1 << 30) {
            throw new IllegalArgumentException(
                    "memoryBytes must hold the positions of a key, at most 4 GiB for each 2^32"
                            + " bits, got "
                            + memoryBytes);
        }
        file = DirectFile.create(path);
        BloomFile.writeZeros(file, positions.bytes());
        pending = new int[regions][(int) each];
        count = new int[regions];
    }

    @Override
    public String id() {
        return "elevatorBloomFile";
    }

    @Override
    public String name() {
        return "elevator Bloom filter on SSD";
    }

    @Override
    public void add(long[] keys, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            long step = BloomPositions.step(keys[i]);
            for (int j = 0; j < positions.functions(); j++) {
                add(positions.position(keys[i], step, j));
            }
        }
    }

    private void add(long position) throws IOException {
        int region = (int) (position >>> REGION_SHIFT);
        if (count[region] == pending[region].length) {
            sweep();
        }
        pending[region][count[region]++] = (int) position;
    }

    private void sweep() throws IOException {
        for (int region = 0; region < pending.length; region++) {
            if (count[region] > 0) {
                sweep(region);
            }
        }
    }

    /** Reads, changes and writes every chunk of the region that has a bit to set. */
    private void sweep(int region) throws IOException {
        int[] grouped = pending[region];
        long start = System.nanoTime();
        groupByChunk(grouped, count[region], chunkEnd);
        groupNanos += System.nanoTime() - start;
        int i = 0;
        for (int number = 0; number < CHUNKS; number++) {
            if (i == chunkEnd[number]) {
                continue;
            }
            long at = ((long) region << REGION_SHIFT >>> 3) + (long) number * CHUNK_BYTES;
            chunk.clear().limit((int) Math.min(CHUNK_BYTES, positions.bytes() - at));
            file.read(chunk, at);
            for (; i < chunkEnd[number]; i++) {
                int bit = grouped[i] & (1 << CHUNK_SHIFT) - 1;
                chunk.put(bit >>> 3, (byte) (chunk.get(bit >>> 3) | 1 << (bit & 7)));
            }
            chunk.flip();
            bytesWritten += chunk.limit();
            file.write(chunk, at);
        }
        count[region] = 0;
    }

    /**
     * Sorts by chunk, in place: a second copy would take memory that the others do not have. The
     * order within a chunk does not matter, as a chunk is in memory while its bits are set.
     *
     * @param ends receives where the positions of each chunk end
     */
    static void groupByChunk(int[] values, int count, int[] ends) {
        Arrays.fill(ends, 0);
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
                if (home == number) {
                    next[number]++;
                } else {
                    values[next[number]] = values[next[home]];
                    values[next[home]++] = value;
                }
            }
        }
    }

    /** Sweeps first when anything is pending. */
    @Override
    public boolean contains(long key) throws IOException {
        sweep();
        long step = BloomPositions.step(key);
        for (int i = 0; i < positions.functions(); i++) {
            long position = positions.position(key, step, i);
            long page = position >>> 15;
            chunk.clear().limit(DirectFile.PAGE_BYTES);
            file.read(chunk, page * DirectFile.PAGE_BYTES);
            if ((chunk.get((int) (position >>> 3 & (DirectFile.PAGE_BYTES - 1))) >>> (position & 7)
                            & 1)
                    == 0) {
                return false;
            }
        }
        return true;
    }

    /** Time spent on sorting positions rather than on the device. */
    double groupSeconds() {
        return groupNanos / 1e9;
    }

    @Override
    public void settle() throws IOException {
        sweep();
        file.sync();
    }

    @Override
    public long diskBytes() throws IOException {
        return file.size();
    }

    /** Without the zeros at the start. */
    @Override
    public long bytesWritten() {
        return bytesWritten;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
