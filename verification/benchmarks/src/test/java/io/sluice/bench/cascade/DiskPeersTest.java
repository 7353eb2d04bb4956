/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.peer.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskPeersTest {
    private static final double FPP = 0.01;

    @TempDir Path directory;

    private static long[] keys(long from, int count) {
        long[] keys = new long[count];
        Arrays.setAll(keys, i -> Keys.key(from + i));
        return keys;
    }

    /** An absent key is reported with the probability that all its bits are set: share^k. */
    @Test
    void aBloomFilterOnDiskErrsAsAsked() throws IOException {
        Path file = directory.resolve("b");
        try (BloomFile filter = new PagedBloomFile(file, 50_000, FPP, 1 << 20)) {
            filter.add(keys(0, 50_000));
            filter.settle();
            BitSet bits = BitSet.valueOf(Files.readAllBytes(file));
            double share = bits.cardinality() / (8.0 * filter.diskBytes());
            // Somewhat less, as the file is rounded up to whole pages.
            assertThat(Math.pow(share, filter.functions())).isBetween(0.85 * FPP, 1.02 * FPP);
            assertThat(filter.diskBytes()).isEqualTo(Files.size(file)).isEqualTo(15 * 4096);
        }
    }

    @Test
    void allBloomFiltersSetTheSameBitsInAnyMemory() throws IOException {
        long[] keys = keys(0, 1_000);
        Path large = directory.resolve("large");
        Path small = directory.resolve("small");
        Path swept = directory.resolve("swept");
        try (BloomFile one = new PagedBloomFile(large, 10_000, FPP, 1 << 20);
                BloomFile two = new PagedBloomFile(small, 10_000, FPP, 4096);
                BloomFile elevator = new ElevatorBloomFile(swept, 10_000, FPP, 4096)) {
            for (BloomFile filter : new BloomFile[] {one, two, elevator}) {
                filter.add(keys);
                filter.settle();
            }
            assertThat(one.bytesWritten()).isEqualTo(one.diskBytes());
            assertThat(two.bytesWritten()).isGreaterThan(1_000 * 4096);
            assertThat(elevator.bytesWritten()).isGreaterThan(2 * elevator.diskBytes());
        }
        assertThat(small).hasSameBinaryContentAs(large);
        assertThat(swept).hasSameBinaryContentAs(large);
    }

    @Test
    void groupingBringsChunksInOrderAndLosesNothing() {
        int[] values = new SplittableRandom(7).ints(100_000).toArray();
        int[] sorted = values.clone();
        int[] ends = ElevatorBloomFile.groupByChunk(values, values.length);
        for (int i = 1; i < values.length; i++) {
            assertThat(values[i] >>> 23).isGreaterThanOrEqualTo(values[i - 1] >>> 23);
        }
        assertThat(ends[ends.length - 1]).isEqualTo(values.length);
        Arrays.sort(sorted);
        Arrays.sort(values);
        assertThat(values).isEqualTo(sorted);
    }

    @Test
    void rocksdbIsAnExactSet() throws IOException {
        Path database = Files.createDirectory(directory.resolve("rocks"));
        try (RocksSet set = new RocksSet(database, 4 << 20, true)) {
            set.add(keys(0, 10_000));
            set.addIfAbsent(keys(5_000, 15_000));
            set.addAll(keys(15_000, 15_000));
            set.settle();
            for (long key : keys(0, 30_000)) {
                assertThat(set.contains(key)).isTrue();
            }
            for (long key : keys(1L << 40, 5_000)) {
                assertThat(set.contains(key)).isFalse();
            }
            assertThat(set.diskBytes()).isGreaterThan(8 * 30_000);
            assertThat(set.bytesWritten()).isPositive();
        }
    }

    @Test
    void theDeviceIsMeasuredInWholeChunks() throws IOException {
        try (DeviceProbe probe = new DeviceProbe(directory.resolve("d"), 4 << 20)) {
            assertThat(probe.randomReadsPerSecond(4, 0.05)).isPositive();
        }
        assertThatThrownBy(() -> new DeviceProbe(directory.resolve("e"), 1000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("multiple of 1048576");
    }
}
