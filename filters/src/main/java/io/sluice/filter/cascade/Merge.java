/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.List;

/**
 * A planned merge: which files become one.
 *
 * @param inputs neighbours in age, newest first
 * @param dropsTombstones whether nothing is older than its oldest input, so that tombstones have
 *     nothing left to hide
 */
record Merge(List<FileSection> inputs, boolean dropsTombstones) {

    Merge {
        inputs = List.copyOf(inputs);
    }

    /** The most entries of the result. */
    long entries() {
        return inputs.stream().mapToLong(FileSection::entries).sum();
    }

    /** Whether stored snapshots have named all inputs, see {@link StoredFile#isNamed}. */
    boolean isNamed() {
        return inputs.stream().allMatch(input -> input.stored().isNamed());
    }

    /** Tombstones of all inputs. */
    long tombstones() {
        return inputs.stream().mapToLong(FileSection::tombstones).sum();
    }

    long bucketEnd() {
        return inputs.get(0).bucketEnd();
    }

    /** Bits of a hash that all inputs keep. */
    int hashBits() {
        return inputs.stream().mapToInt(FileSection::hashBits).min().orElseThrow();
    }

    /** The key groups of all inputs, and what lies between them. */
    KeyGroups keyGroups() {
        int first =
                inputs.stream().mapToInt(input -> input.keyGroups().first()).min().orElseThrow();
        int end = inputs.stream().mapToInt(input -> input.keyGroups().end()).max().orElseThrow();
        return new KeyGroups(first, end);
    }
}
