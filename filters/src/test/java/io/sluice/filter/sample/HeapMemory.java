/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.util.Optional;

/** Lends memory of the heap up to a number of words. */
final class HeapMemory implements SampleMemory {

    private final long maxWords;
    private long lent;

    HeapMemory() {
        this(Long.MAX_VALUE);
    }

    HeapMemory(long maxWords) {
        this.maxWords = maxWords;
    }

    long lentWords() {
        return lent;
    }

    @Override
    public Optional<Words> allocate(long words) {
        if (words > maxWords - lent) {
            return Optional.empty();
        }
        lent += words;
        return Optional.of(Words.allocate(Storage.HEAP, words));
    }

    @Override
    public void release(Words words) {
        lent -= words.length();
    }
}
