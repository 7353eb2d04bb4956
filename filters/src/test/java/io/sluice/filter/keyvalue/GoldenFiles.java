/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** What is in the golden files. */
final class GoldenFiles {

    static final int KEYS = 150;
    static final int CAPACITY = 100;
    static final int VALUES = 11;

    /**
     * Cells of other widths: a filter for each, one after the other in one file. The narrowest (7
     * bits), cells of a quarter and of half a word, one bit more than that, and the widest; no tag
     * and the longest; one cell for a key and the most.
     */
    static final String CELLS_NAME = "v2-cells.bin";

    static final List<KeyValueShape> CELLS =
            List.of(
                    new KeyValueShape(2, CodeKind.PRODUCT_PAIRS, 0, 3, 1, 40, 1),
                    new KeyValueShape(64, CodeKind.PRODUCT_PAIRS, 0, 4, 3, 15, -1),
                    new KeyValueShape(16, CodeKind.PRODUCT_PAIRS, 8, 8, 3, 15, 2),
                    new KeyValueShape(127, CodeKind.PRODUCT_PAIRS, 8, 3, 4, 12, Long.MAX_VALUE),
                    new KeyValueShape(2_048, CodeKind.PRODUCT_TRIPLES, 8, 7, 2, 20, Long.MIN_VALUE),
                    new KeyValueShape(3, CodeKind.PRODUCT_TRIPLES, 2, 5, 32, 7, 3));

    static final int CELLS_KEYS = 20;

    static final String EMPTY_NAME = "v2-empty.bin";

    private GoldenFiles() {}

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
            KeyValueBloomFilter before = read(filter.toByteArray());
            if (before.remove(Hashing.hash(key + KEYS), 10)) {
                continue;
            }
            filter.remove(Hashing.hash(key + KEYS), 10);
        }
        return filter;
    }

    /** One filter, whose keys were all updated once. */
    static KeyValueBloomFilter ofCells(KeyValueShape shape) {
        KeyValueBloomFilter filter = KeyValueBloomFilter.builder().shape(shape, CELLS_KEYS).build();
        for (long key = 0; key < CELLS_KEYS; key++) {
            filter.insert(Hashing.hash(key), 0);
            filter.update(Hashing.hash(key), 0, value(key, shape));
        }
        return filter;
    }

    /** Spread over all values, from the last one down. */
    static int value(long key, KeyValueShape shape) {
        return (int) (shape.values() - 1 - key * 101 % shape.values());
    }

    static KeyValueBloomFilter empty() {
        return KeyValueBloomFilter.builder().shape(CELLS.get(0), 1).build();
    }

    private static KeyValueBloomFilter read(byte[] bytes) throws IOException {
        return KeyValueBloomFilter.readFrom(new ByteArrayInputStream(bytes), "copy", Storage.HEAP);
    }

    static int value(long key) {
        return (int) (key % (VALUES - 1));
    }
}
