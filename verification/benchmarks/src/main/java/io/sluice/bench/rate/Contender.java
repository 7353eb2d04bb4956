/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import io.sluice.bench.run.Keys;

/** One row of a comparison: a structure, and loops over it that are compiled only for it. */
public class Contender {
    final BulkOperations loops;
    private final RatedStructure structure;

    Contender(RatedStructure structure, BulkOperations loops) {
        this.structure = structure;
        this.loops = loops;
    }

    /** A {@link RemovableContender} if {@code structure} is a {@link RemovableStructure}. */
    public static Contender of(RatedStructure structure) {
        return of(structure, Loops.over(structure));
    }

    /**
     * A contender over another structure of the same class that shares the compiled loops of this
     * one, so that a small one can warm up the loops of a large one.
     */
    public final Contender like(RatedStructure other) {
        if (other.getClass() != structure.getClass()) {
            throw new IllegalArgumentException(
                    "structure must be a "
                            + structure.getClass().getSimpleName()
                            + " like this one, got a "
                            + other.getClass().getSimpleName());
        }
        return of(other, Loops.like(loops, other));
    }

    private static Contender of(RatedStructure structure, BulkOperations loops) {
        return structure instanceof RemovableStructure
                ? new RemovableContender(structure, loops)
                : new Contender(structure, loops);
    }

    public final RatedStructure structure() {
        return structure;
    }

    public final String id() {
        return structure.id();
    }

    public final String name() {
        return structure.name();
    }

    public final long capacity() {
        return structure.capacity();
    }

    public final double bitsPerKey() {
        return 8.0 * structure.sizeInBytes() / structure.capacity();
    }

    /** Forgets everything and fills with the keys 0 to {@link #capacity()} - 1. */
    public final void fill() {
        structure.begin();
        insert(0, capacity());
    }

    /**
     * Inserts keys {@code from} to {@code to} - 1 of {@link Keys#key}.
     *
     * @return how many
     */
    public final long insert(long from, long to) {
        return loops.insert(from, to);
    }

    /**
     * Looks up {@code count} keys beginning at {@code from} in the sequence {@code keys}.
     *
     * @return how many were reported as present; the caller uses it, so that nothing is optimised
     *     away
     */
    public final long contains(Keys keys, long from, long count) {
        return loops.contains(keys, from, count);
    }

    /** Adds the keys among {@code count} that are not reported; returns how many were added. */
    public final long addIfAbsent(Keys keys, long from, long count) {
        return loops.addIfAbsent(keys, from, count);
    }

    /**
     * Share of {@code probes} keys that were never added but are reported.
     *
     * @param from number of the first; a different one for each measurement
     */
    public final double measuredFpp(long from, long probes) {
        return (double) contains(Keys.absent(), from, probes) / probes;
    }
}
