/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * Wrote the golden files, once: a released format is never written again, so existing files are
 * left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenFiles {

    static final int KEYS = 150;
    static final int CAPACITY = 100;
    static final int VALUES = 11;

    private GoldenFiles() {}

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        for (CodeKind code : CodeKind.values()) {
            KeyValueBloomFilter filter = create(code);
            try (OutputStream out =
                    Files.newOutputStream(
                            folder.resolve(name(code)), StandardOpenOption.CREATE_NEW)) {
                filter.writeTo(out);
            }
        }
    }

    static String name(CodeKind code) {
        return "v2-" + code.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".bin";
    }

    /** Two filters, crowded enough for keys in the exact table and stuck cells. */
    static KeyValueBloomFilter create(CodeKind code) throws IOException {
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder()
                        .shape(new KeyValueShape(VALUES, code, 1, 3, 3, 42, 5), CAPACITY)
                        .mostFilters(3)
                        .exactKeys(20)
                        .build();
        for (long key = 0; key < KEYS; key++) {
            filter.insert(Hashing.hash(key), value(key));
        }
        // Refused: no key has this value. Chosen so that no cells say otherwise.
        for (long key = 0; filter.refused() < 8; key++) {
            KeyValueBloomFilter before = read(written(filter));
            if (before.delete(Hashing.hash(key + KEYS), 10)) {
                continue;
            }
            filter.delete(Hashing.hash(key + KEYS), 10);
        }
        return filter;
    }

    private static byte[] written(KeyValueBloomFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static KeyValueBloomFilter read(byte[] bytes) throws IOException {
        return KeyValueBloomFilter.readFrom(new ByteArrayInputStream(bytes), "copy", Storage.HEAP);
    }

    static int value(long key) {
        return (int) (key % (VALUES - 1));
    }
}
