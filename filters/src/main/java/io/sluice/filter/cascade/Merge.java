/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.ArrayList;
import java.util.List;

/**
 * A planned merge: which files it reads, and whether they become one, or one for each length of
 * hash.
 *
 * @param inputs neighbours in age, newest first
 * @param dropsTombstones whether nothing is older than its oldest input, so that tombstones have
 *     nothing left to hide
 * @param keepsHashBits whether inputs of different lengths of hash become one file each, without
 *     what newer ones have removed
 */
record Merge(List<FileSection> inputs, boolean dropsTombstones, boolean keepsHashBits) {

    Merge {
        inputs = List.copyOf(inputs);
    }

    Merge(List<FileSection> inputs, boolean dropsTombstones) {
        this(inputs, dropsTombstones, false);
    }

    /** The inputs of each result, newest first. */
    List<List<FileSection>> parts() {
        if (!keepsHashBits) {
            return List.of(inputs);
        }
        List<List<FileSection>> parts = new ArrayList<>();
        for (FileSection input : inputs) {
            int last = parts.size() - 1;
            if (last >= 0 && parts.get(last).get(0).hashBits() == input.hashBits()) {
                parts.get(last).add(input);
            } else {
                parts.add(new ArrayList<>(List.of(input)));
            }
        }
        return parts;
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

    /** The key groups of all inputs, and what lies between them. */
    KeyGroups keyGroups() {
        int first =
                inputs.stream().mapToInt(input -> input.keyGroups().first()).min().orElseThrow();
        int end = inputs.stream().mapToInt(input -> input.keyGroups().end()).max().orElseThrow();
        return new KeyGroups(first, end);
    }
}
