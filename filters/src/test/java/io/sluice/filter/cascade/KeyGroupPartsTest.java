/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How a key group is divided, and that a filter stays divided as it was first. */
class KeyGroupPartsTest {

    private static final KeyGroups ONE = KeyGroups.of(0, 1);
    private static final long AMPLE = 1L << 40;

    private final SplittableRandom random = Seeds.random();

    private static BigInteger unsigned(long hash) {
        return new BigInteger(Long.toUnsignedString(hash));
    }

    private long hash() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(3) - 1L;
            case 1 -> Long.MIN_VALUE + random.nextInt(3) - 1;
            default -> random.nextLong();
        };
    }

    @Test
    void partAndPlaceAreTheHalvesOfAProduct() {
        for (int i = 0; i < 100_000; i++) {
            KeyGroupParts parts = new KeyGroupParts(1 + random.nextInt(9));
            long hash = hash();
            BigInteger product = unsigned(hash).multiply(BigInteger.valueOf(parts.count()));
            int part = product.shiftRight(64).intValueExact();
            assertThat(parts.entry(7, hash))
                    .as("%x in %s", hash, parts)
                    .isEqualTo(Entries.of(7 * parts.count() + part, product.longValue()));
        }
    }

    @Test
    void entriesAscendWithHashesAndSayWhatTheyStandFor() {
        for (int i = 0; i < 100_000; i++) {
            KeyGroupParts parts = new KeyGroupParts(1 + random.nextInt(9));
            int bits = 1 + random.nextInt(40);
            long mask = Entries.mask(bits);
            long hash = hash();
            long other = hash();
            int order = Long.compareUnsigned(hash, other);
            long entry = parts.entry(7, hash) & mask;
            long otherEntry = parts.entry(7, other) & mask;
            assertThat(Integer.signum(Long.compare(entry, otherEntry))).isIn(0, order);
            long whole = parts.whole(entry);
            assertThat(Entries.keyGroup(whole)).isEqualTo(7);
            BigInteger below =
                    unsigned(hash).shiftRight(17).subtract(unsigned(Entries.hash(whole)));
            // The distance to the next value, and one for the rounding of the division.
            long value = (1L << (47 - bits)) / parts.count() + 2;
            assertThat(below.longValueExact()).as("%x in %s", hash, parts).isBetween(0L, value);
        }
    }

    @Test
    void noMoreBitsAreKeptThanAreNeeded() {
        for (int i = 0; i < 1_000; i++) {
            double fpp = Math.pow(10, -1 - 4 * random.nextDouble());
            long capacity = 1_000 + random.nextLong(1_000_000_000);
            KeyGroupParts parts = KeyGroupParts.choose(fpp, capacity, ONE, AMPLE);
            Eras eras = new Eras(fpp, (double) capacity / parts.count());
            double values = parts.count() * Math.scalb(1.0, eras.hashBits(0));
            double needed = (double) capacity / fpp;
            // A fourth more for the fraction of the probability that later eras get, 15/16, and the
            // distance from 4 to 5, the greatest of two neighbours.
            assertThat(values / needed).as("%s, %s", fpp, capacity).isBetween(1.0, 1.25 * 16 / 15);
            assertThat(eras.capacity(0, parts.count())).isGreaterThanOrEqualTo(capacity);
        }
    }

    @Test
    void keyGroupsStayWholeWithoutRoomForParts() {
        int bits = new Eras(1e-3, 20_000_000).hashBits(0);
        assertThat(bits).isEqualTo(35);
        assertThat(KeyGroupParts.choose(1e-3, 20_000_000, ONE, AMPLE))
                .isEqualTo(new KeyGroupParts(5));
        assertThat(new Eras(1e-3, 4_000_000).hashBits(0)).isEqualTo(32);
        assertThat(KeyGroupParts.choose(1e-3, 20_000_000, ONE, 10)).isEqualTo(KeyGroupParts.WHOLE);
        KeyGroups many = KeyGroups.of(0, CascadeOptions.MAX_KEY_GROUPS);
        assertThat(KeyGroupParts.choose(1e-3, 20_000_000L << 15, many, AMPLE))
                .isEqualTo(KeyGroupParts.WHOLE);
    }

    @Test
    void filtersOfOneSetAreDividedAlikeAndKeepTheSameBits() {
        for (int all : new int[] {1, 7, 127, 128, 129, 32_767, 32_768}) {
            CascadeOptions whole =
                    options(1_000_000).partOf(all).keyGroups(0, all).bufferBytes(1 << 20).build();
            CascadeOptions last =
                    options(1_000_000)
                            .partOf(all)
                            .keyGroups(all - 1, 1)
                            .falsePositiveProbability(1e-5)
                            .build();
            assertThat(last.parts()).isEqualTo(whole.parts());
            assertThat((long) all * parts(whole)).isBetween(1L << 14, 1L << 15);
            CascadeOptions alike = options(1_000_000).partOf(all).keyGroups(all - 1, 1).build();
            assertThat(alike.eras().hashBits(0)).isEqualTo(whole.eras().hashBits(0));
        }
        assertThatThrownBy(() -> options(1).partOf(5).keyGroups(4, 2).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not all among the 5");
    }

    /** What is kept for each key group is not kept for each of its parts. */
    @Test
    void aFinelyDividedFilterNeedsNoMoreMemory() throws IOException {
        CascadeOptions options =
                options(1_000_000).partOf(128).keyGroups(0, 128).overviewBitsPerKey(8).build();
        assertThat(parts(options)).isEqualTo(256);
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            long[] hashes = random.longs(20_000).toArray();
            for (int i = 0; i < hashes.length; i++) {
                filter.insert(i & 127, hashes[i]);
            }
            filter.flush();
            assertThat(filter.sizeInBytes()).isLessThan(200_000);
            for (int i = 0; i < hashes.length; i++) {
                assertThat(filter.mightContain(i & 127, hashes[i])).isTrue();
            }
        }
    }

    private static CascadeOptionsBuilder options(long capacity) {
        return CascadeOptions.builder()
                .capacity(capacity)
                .falsePositiveProbability(1e-3)
                .bufferBytes(1 << 14)
                .pageCacheBytes(1 << 20);
    }

    private static int parts(CascadeOptions options) {
        return options.parts().count();
    }

    @Test
    void aFilterStaysDividedAsItsEntriesAre() throws IOException {
        CascadeOptions five = options(20_000_000).build();
        CascadeOptions three = options(22_000_000).keyGroups(0, 1).build();
        CascadeOptions whole = options(20_000_000).divideKeyGroups(false).build();
        assertThat(parts(five)).isEqualTo(5);
        assertThat(parts(three)).isEqualTo(3);
        assertThat(parts(whole)).isEqualTo(1);
        List<CascadeOptions> all = List.of(five, three, whole);
        for (CascadeOptions first : all) {
            CrashableDirectory directory = new CrashableDirectory();
            long[] hashes = random.longs(20_000).toArray();
            int from = 0;
            for (CascadeOptions then : List.of(first, five, three, whole)) {
                try (CascadeFilter filter = CascadeFilter.open(directory, then)) {
                    for (int i = 0; i < from; i++) {
                        assertThat(filter.mightContain(hashes[i])).isTrue();
                    }
                    for (int i = from; i < from + 5_000; i++) {
                        filter.add(hashes[i]);
                    }
                    from += 5_000;
                    filter.flush();
                    byte[] manifest = manifest(filter);
                    assertThat(Manifest.of(manifest, "manifest").parts()).isEqualTo(first.parts());
                }
            }
        }
    }

    private static byte[] manifest(CascadeFilter filter) throws IOException {
        try (CascadeSnapshot snapshot = filter.snapshot()) {
            snapshot.prepare();
            return snapshot.manifest();
        }
    }

    /**
     * Writes a filter of one key group; returns its manifest, and puts its files into a directory.
     */
    private byte[] written(CascadeOptions options, CrashableDirectory to) throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            filter.add(options.firstKeyGroup(), 42);
            try (CascadeSnapshot snapshot = filter.snapshot()) {
                snapshot.prepare();
                for (CascadeSnapshot.File file : snapshot.files()) {
                    try (InputStream in = file.open()) {
                        to.put(file.name(), in.readAllBytes());
                    }
                }
                return snapshot.manifest();
            }
        }
    }

    @Test
    void whatIsDividedDifferentlyIsNotRestoredTogether() throws IOException {
        CascadeOptions five = options(20_000_000).build();
        CascadeOptions alsoFive = options(20_000_000).keyGroups(1, 1).build();
        CascadeOptions three = options(22_000_000).keyGroups(2, 1).build();
        CrashableDirectory directory = new CrashableDirectory();
        byte[] first = written(five, directory);
        byte[] second = written(alsoFive, directory);
        byte[] third = written(three, directory);
        CascadeOptions all = options(60_000_000).keyGroups(0, 3).build();
        assertThat(parts(all)).isEqualTo(1);
        assertThatThrownBy(
                        () -> CascadeFilter.restore(directory, all, List.of(first, second, third)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("got 5 and 3 parts")
                .hasMessageContaining("divideKeyGroups(false)");
        try (CascadeFilter filter = CascadeFilter.restore(directory, all, List.of(first, second))) {
            assertThat(filter.mightContain(0, 42)).isTrue();
            assertThat(filter.mightContain(1, 42)).isTrue();
            assertThat(filter.mightContain(2, 42)).isFalse();
            assertThat(filter.mightContain(0, -42)).isFalse();
        }
    }

    @Test
    void aScanNamesWholeKeyGroups() throws IOException {
        CascadeOptions options = options(20_000_000).keyGroups(3, 2).divideKeyGroups(true).build();
        assertThat(parts(options)).isGreaterThan(1);
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            filter.add(3, Long.MAX_VALUE);
            filter.add(4, 0x1234_5678_9abc_def0L);
            filter.add(4, -0x1234_5678_9abc_def0L);
            long[] entries = new long[10];
            try (EntryCursor cursor = filter.scan()) {
                assertThat(cursor.next(entries)).isEqualTo(3);
            }
            assertThat(Entries.keyGroup(entries[0])).isEqualTo(3);
            assertThat(Entries.hash(entries[0]) >>> 23).isEqualTo(Long.MAX_VALUE >>> 40);
            assertThat(Entries.keyGroup(entries[1])).isEqualTo(4);
            assertThat(Entries.hash(entries[1]) >>> 23).isEqualTo(0x1234_56L);
            assertThat(Entries.keyGroup(entries[2])).isEqualTo(4);
            assertThat(Entries.hash(entries[2]) >>> 23).isEqualTo(0xedcb_a9L);
        }
    }
}
