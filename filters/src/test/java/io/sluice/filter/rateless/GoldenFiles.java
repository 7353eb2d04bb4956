/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import io.sluice.filter.cuckoo.sync.RootSet;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Wrote the golden files, once: a released format is never written again, so existing files are
 * left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenFiles {

    static final ExchangeKey KEY = new ExchangeKey(20_261_128, -1);

    static final int FIRST = 3;
    static final int SYMBOLS = 61;

    private GoldenFiles() {}

    static RootSet set() {
        return visitor -> {
            for (long id = 0; id < 350; id++) {
                visitor.element(Hashing.hash(id), 1 + id);
            }
        };
    }

    /** Some symbols that are not the first, an odd number of them. */
    static CodedSymbols symbols() {
        SymbolEncoder encoder = new SymbolEncoder(set(), KEY);
        encoder.skip(FIRST);
        return encoder.next(SYMBOLS);
    }

    static CodedSymbols noSymbols() {
        return new SymbolEncoder(visitor -> {}, KEY).next(0);
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        GoldenFile.write(folder.resolve("v1-symbols.bin"), symbols().toByteArray());
        GoldenFile.write(folder.resolve("v1-no-symbols.bin"), noSymbols().toByteArray());
    }
}
