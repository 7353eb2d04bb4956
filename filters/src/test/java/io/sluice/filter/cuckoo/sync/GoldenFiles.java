/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Wrote the golden file, once: a released format is never written again, so an existing file is
 * left alone. A new version gets a new name. Argument: the folder.
 */
final class GoldenFiles {

    static final String NAME = "v2-digest.bin";
    static final CuckooShape SHAPE = new CuckooShape(12, 8, 100);
    static final long SEED = 20_261_122;

    private GoldenFiles() {}

    static RootSet set() {
        return visitor -> {
            for (long id = 0; id < 350; id++) {
                visitor.element(Hashing.hash(id), 1 + id);
            }
        };
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        try (OutputStream out =
                Files.newOutputStream(folder.resolve(NAME), StandardOpenOption.CREATE_NEW)) {
            MultisetDigest.of(set(), SHAPE, Collisions.SEPARATE, SEED).writeTo(out);
        }
    }
}
