/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

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

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        try (OutputStream out = create(folder.resolve("v2-set.bin"))) {
            set().writeTo(out);
        }
        try (OutputStream out = create(folder.resolve("v2-multiset.bin"))) {
            multiset().writeTo(out);
        }
    }

    private static OutputStream create(Path file) throws IOException {
        return Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
    }
}
