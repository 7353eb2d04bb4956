/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Wrote the golden files, once: a released format is never written again, so existing files are
 * left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenFiles {

    /** A set with remainders that fill their words. */
    static final long SET_KEYS = 900;

    /** A multiset: as many copies of every key as its number modulo 4, plus one. */
    static final long MULTISET_KEYS = 200;

    static final int REFUSED_REMOVALS = 3;

    /**
     * Remainders that fill a word, divide it or straddle two, and the narrowest and widest ones: a
     * filter for each, one after the other in one file.
     */
    static final int[] REMAINDER_BITS = {1, 2, 3, 8, 16, 21, 31, 32, 33, 43, 48, 57};

    static final int REMAINDERS_QUOTIENT_BITS = 6;

    static final long REMAINDERS_KEYS = 55;

    private GoldenFiles() {}

    static QuotientFilter set() {
        QuotientFilter filter = QuotientFilter.builder().bits(10, 8).build();
        for (long key = 0; key < SET_KEYS; key++) {
            filter.add(Hashing.hash(key));
        }
        return filter;
    }

    static QuotientFilter multiset() {
        QuotientFilter filter =
                QuotientFilter.builder().bits(9, 13).maxLoad(0.98).growing().build();
        for (long key = 0; key < MULTISET_KEYS; key++) {
            filter.insert(Hashing.hash(key), (int) (key % 4 + 1));
        }
        for (int i = 0; i < REFUSED_REMOVALS; i++) {
            filter.remove(Hashing.hash(-1 - i));
        }
        return filter;
    }

    /** Crowded: fingerprints spill into the next block. */
    static QuotientFilter ofRemainderBits(int remainderBits) {
        QuotientFilter filter =
                QuotientFilter.builder().bits(REMAINDERS_QUOTIENT_BITS, remainderBits).build();
        for (long key = 0; key < REMAINDERS_KEYS; key++) {
            filter.insert(Hashing.hash(key), 1);
        }
        return filter;
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        write(folder.resolve("v2-set.bin"), set());
        write(folder.resolve("v2-multiset.bin"), multiset());
        QuotientFilter[] all =
                Arrays.stream(REMAINDER_BITS)
                        .mapToObj(GoldenFiles::ofRemainderBits)
                        .toArray(QuotientFilter[]::new);
        write(folder.resolve("v2-remainders.bin"), all);
    }

    private static void write(Path file, QuotientFilter... filters) throws IOException {
        if (Files.exists(file)) {
            return;
        }
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
            for (QuotientFilter filter : filters) {
                filter.writeTo(out);
            }
        }
    }
}
