/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import io.sluice.filter.cuckoo.sync.RootSet;
import io.sluice.filter.hash.Hashing;

/** What is in the golden files. */
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
}
