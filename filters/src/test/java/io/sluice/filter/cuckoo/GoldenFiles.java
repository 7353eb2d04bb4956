/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/**
 * Wrote the golden files, once: a released format is never written again, so existing files are
 * left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenFiles {

    static final int IDS = 700;

    /** Different layouts: a bucket is a word, straddles words, has its fingerprints in two. */
    static final Map<String, CuckooShape> SHAPES =
            Map.of(
                    "v2-word.bin", new CuckooShape(12, 4, 200),
                    "v2-packed.bin", new CuckooShape(16, 8, 190),
                    "v2-wide.bin", new CuckooShape(23, 3, 188));

    private GoldenFiles() {}

    /** Copies of id number {@code id}: some saturate, some are inserted in a slot of their own. */
    static int copies(int id) {
        return 1 + id % 10;
    }

    static CountingCuckooFilter filter(CuckooShape shape) {
        CountingCuckooFilter filter = CountingCuckooFilter.create(shape, Storage.HEAP);
        for (int id = 0; id < IDS; id++) {
            if (id % 2 == 0) {
                filter.insertSeparately(Hashing.hash((long) id), copies(id));
            } else {
                filter.insert(Hashing.hash((long) id), copies(id));
            }
        }
        return filter;
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        for (Map.Entry<String, CuckooShape> entry : SHAPES.entrySet()) {
            try (OutputStream out =
                    Files.newOutputStream(
                            folder.resolve(entry.getKey()), StandardOpenOption.CREATE_NEW)) {
                filter(entry.getValue()).writeTo(out);
            }
        }
    }
}
