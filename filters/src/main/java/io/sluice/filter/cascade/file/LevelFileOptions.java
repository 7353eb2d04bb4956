/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;

/**
 * How a level file is written.
 *
 * @param hashBits p, from 1 to {@value Entries#MAX_HASH_BITS}: bits of the hash in an entry
 * @param summaryBitsPerKey size of the summary that is built while writing; 0 for none
 * @param warm the cache that takes the pages as they are written; null if none does
 */
@Internal
public record LevelFileOptions(int hashBits, int summaryBitsPerKey, PageCache warm) {

    public LevelFileOptions {
        Entries.checkHashBits(hashBits);
        Summary.checkBitsPerKey(summaryBitsPerKey);
    }

    /** Neither a summary nor a warm cache. */
    public static LevelFileOptions ofHashBits(int hashBits) {
        return new LevelFileOptions(hashBits, 0, null);
    }

    /** These options, but with a summary of {@code bitsPerKey} bits for each key. */
    public LevelFileOptions withSummary(int bitsPerKey) {
        return new LevelFileOptions(hashBits, bitsPerKey, warm);
    }

    /** These options, but the pages go into {@code cache} as they are written. */
    public LevelFileOptions warming(PageCache cache) {
        return new LevelFileOptions(hashBits, summaryBitsPerKey, cache);
    }
}
