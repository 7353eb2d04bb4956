/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.stress;

import io.sluice.filter.cascade.CascadeFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;

/** What a filter holds after its writer was killed, against what it may hold. */
final class Survivors {
    private Survivors() {}

    /**
     * Opens the filter and finds out how many operations it has kept.
     *
     * <p>It must hold exactly what some number of operations leaves: no fewer than those before the
     * last flush that was acknowledged, and no more than those up to the end of the flush that
     * would have been next, since the writer acknowledges a flush before it goes on.
     *
     * @param flushed operations before the last acknowledged flush, that one included
     * @return how many were kept
     * @throws AssertionError if no number of operations fits, with the number of keys that differ
     */
    static long check(Path directory, Operations operations, long flushed) throws IOException {
        BitSet found = new BitSet(Operations.KEYS);
        try (CascadeFilter filter = CascadeFilter.open(directory, Operations.options())) {
            for (int key = 0; key < Operations.KEYS; key++) {
                found.set(key, filter.mightContain(Operations.keyGroup(key), Operations.hash(key)));
            }
        }
        BitSet expected = operations.after(flushed);
        BitSet differing = (BitSet) expected.clone();
        differing.xor(found);
        int least = differing.cardinality();
        for (long i = flushed; ; i++) {
            if (differing.isEmpty()) {
                return i;
            }
            if (operations.apply(i, expected)) {
                differing.flip(operations.key(i));
                least = Math.min(least, differing.cardinality());
            }
            if (operations.kind(i) == Operations.Kind.FLUSH && !differing.isEmpty()) {
                throw new AssertionError(
                        "after "
                                + flushed
                                + " flushed operations and at most "
                                + (i + 1 - flushed)
                                + " more, no number of them fits: at best "
                                + least
                                + " keys differ; of the flushed ones "
                                + count(operations.after(flushed), found)
                                + " are lost");
            }
        }
    }

    private static int count(BitSet flushed, BitSet found) {
        BitSet lost = (BitSet) flushed.clone();
        lost.andNot(found);
        return lost.cardinality();
    }
}
