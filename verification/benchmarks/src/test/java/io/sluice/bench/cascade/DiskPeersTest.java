/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.peer.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskPeersTest {
    private static final double FPP = 0.01;
    private static final int PROBES = 20_000;

    @TempDir Path directory;

    private static long[] keys(long from, int count) {
        long[] keys = new long[count];
        Arrays.setAll(keys, i -> Keys.key(from + i));
        return keys;
    }

    /**
     * Bound of the error of a filter that holds what it is made for: five standard errors of the
     * probes.
     */
    private static double mostFpp(int probes) {
        return FPP + 5 * Math.sqrt(FPP / probes);
    }

    private static void holdsAllAndFewOthers(DiskFilter filter, long[] keys, int probes)
            throws IOException {
        for (long key : keys) {
            assertThat(filter.contains(key)).as(filter.name()).isTrue();
        }
        int reported = 0;
        for (long key : keys(1L << 40, probes)) {
            reported += filter.contains(key) ? 1 : 0;
        }
        assertThat((double) reported / probes).as(filter.name()).isLessThan(mostFpp(probes));
    }

    @Test
    void aBloomFilterOnDiskHoldsAllWithAPageInMemory() throws IOException {
        long[] keys = keys(0, 1_000);
        try (BloomFile filter = new BloomFile(directory.resolve("b"), 10_000, FPP, 4096)) {
            filter.add(keys, 0, 500);
            assertThat(filter.addIfAbsent(keys, 0, keys.length)).isBetween(490, 500);
            filter.settle();
            holdsAllAndFewOthers(filter, keys, 500);
            assertThat(filter.diskBytes()).isEqualTo(3 * 4096);
            assertThat(filter.bytesWritten()).isPositive();
            assertThat(filter.pagesRead()).isGreaterThan(keys.length);
        }
    }

    @Test
    void aBloomFilterOnDiskErrsAsAsked() throws IOException {
        long[] keys = keys(0, 50_000);
        try (BloomFile filter = new BloomFile(directory.resolve("b"), keys.length, FPP, 1 << 20)) {
            filter.add(keys, 0, keys.length);
            holdsAllAndFewOthers(filter, keys, PROBES);
        }
    }

    @Test
    void anElevatorHoldsAllAfterSomeSweeps() throws IOException {
        long[] keys = keys(0, 900_000);
        // Two chunks, and memory for a few thousand positions.
        try (ElevatorBloomFile filter =
                new ElevatorBloomFile(directory.resolve("e"), keys.length, FPP, 1 << 18)) {
            filter.add(keys, 0, keys.length);
            filter.settle();
            holdsAllAndFewOthers(filter, Arrays.copyOf(keys, 1_000), 2_000);
            assertThat(filter.bytesWritten()).isGreaterThan(filter.diskBytes());
        }
    }

    @Test
    void bothBloomFiltersSetTheSameBits() throws IOException {
        long[] keys = keys(0, 20_000);
        Path one = directory.resolve("one");
        Path two = directory.resolve("two");
        try (BloomFile bloom = new BloomFile(one, keys.length, FPP, 1 << 20);
                ElevatorBloomFile elevator = new ElevatorBloomFile(two, keys.length, FPP, 4096)) {
            bloom.add(keys, 0, keys.length);
            bloom.settle();
            elevator.add(keys, 0, keys.length);
            elevator.settle();
        }
        assertThat(two).hasSameBinaryContentAs(one);
    }

    @Test
    void groupingBringsChunksInOrderAndLosesNothing() {
        SplittableRandom random = new SplittableRandom(7);
        int[] values = random.ints(100_000).toArray();
        int[] sorted = values.clone();
        int[] ends = new int[ElevatorBloomFile.CHUNKS];
        ElevatorBloomFile.groupByChunk(values, values.length, ends);
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
        long[] keys = keys(0, 30_000);
        Path database = Files.createDirectory(directory.resolve("rocks"));
        try (RocksSet set = new RocksSet(database, 4 << 20, true)) {
            set.add(keys, 0, 10_000);
            assertThat(set.addIfAbsent(keys, 0, 20_000)).isEqualTo(10_000);
            set.addAll(keys, 15_000, keys.length);
            set.settle();
            for (long key : keys) {
                assertThat(set.contains(key)).isTrue();
            }
            for (long key : keys(1L << 40, 5_000)) {
                assertThat(set.contains(key)).isFalse();
            }
            assertThat(set.diskBytes()).isGreaterThan(8 * 30_000);
        }
    }

    @Test
    void theDeviceIsMeasuredInWholeChunks() throws IOException {
        try (DeviceProbe probe = new DeviceProbe(directory.resolve("d"), 4 << 20)) {
            assertThat(probe.writeBytesPerSecond()).isPositive();
            assertThat(probe.readBytesPerSecond()).isPositive();
            assertThat(probe.randomReadsPerSecond(4, 0.05)).isPositive();
        }
        assertThatThrownBy(() -> new DeviceProbe(directory.resolve("e"), 1000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("multiple of 1048576");
    }

    @Test
    void aTreeIsCountedAndRemoved() throws IOException {
        Path tree = Files.createDirectories(directory.resolve("t/u"));
        Files.write(tree.resolve("a"), new byte[100]);
        Files.write(tree.getParent().resolve("b"), new byte[11]);
        assertThat(Trees.bytes(tree.getParent())).isEqualTo(111);
        Trees.delete(tree.getParent());
        assertThat(directory.resolve("t")).doesNotExist();
    }
}
