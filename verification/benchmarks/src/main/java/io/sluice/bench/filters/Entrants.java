/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.filters;

import io.sluice.bench.ccf.CuckooStructure;
import io.sluice.bench.peer.CommonsCountingBloom;
import io.sluice.bench.peer.Cuckoofilter4j;
import io.sluice.bench.peer.DataSketchesBloom;
import io.sluice.bench.peer.FastfilterBlockedBloom;
import io.sluice.bench.peer.FastfilterBloom;
import io.sluice.bench.peer.FastfilterCuckoo16;
import io.sluice.bench.peer.FastfilterCuckoo8;
import io.sluice.bench.peer.FastutilSet;
import io.sluice.bench.peer.GuavaBloom;
import io.sluice.bench.qf.QuotientStructure;
import io.sluice.bench.rate.OneLineLimit;
import io.sluice.bench.rate.Structure;
import io.sluice.bench.window.WindowedStructure;
import io.sluice.filter.FilterSizing;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.plane.Layout;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The structures that take part. All are made for the same number of keys; structures that can
 * choose their error have the same error; structures with slots are filled to the same load.
 */
public final class Entrants {
    /** The error of a quotient filter with remainders of 8 bits at full load. */
    static final double FPP = 1.0 / 256;

    /** Load of the structures with slots, when full. */
    public static final double LOAD = 0.95;

    /** With this the blocked Bloom filter has about {@link #FPP}. */
    private static final int BLOCKED_BITS = 16;

    /** With this the quotient filter has about {@link #FPP}. */
    private static final int REMAINDER_BITS = 8;

    /** A bucket is then one word; the error is about half of {@link #FPP}. */
    private static final int CUCKOO_FINGERPRINT_BITS = 12;

    private static final int COUNTER_BITS = 4;

    private Entrants() {}

    /**
     * One of each kind, empty.
     *
     * @param slots of the structures with slots; a power of two, at least 4096
     */
    static List<Structure> all(int slots) {
        long keys = keys(slots);
        double bloomBits = FilterSizing.bitsPerKey(FPP, FilterSizing.optimalProbes(FPP));
        return List.of(
                new GuavaBloom(keys, FPP),
                new DataSketchesBloom(keys, FPP),
                new FastfilterBloom(keys, bloomBits),
                new FastfilterBlockedBloom(keys, BLOCKED_BITS),
                new FastfilterCuckoo8(slots, LOAD),
                new FastfilterCuckoo16(slots, LOAD),
                new FastutilSet(keys),
                new Cuckoofilter4j(keys, FPP),
                new CommonsCountingBloom(keys, FPP),
                new WindowedStructure(FPP, Layout.FINGERPRINTS, keys),
                new WindowedStructure(FPP, Layout.QUOTIENT, keys),
                new QuotientStructure(slots, REMAINDER_BITS, LOAD),
                cuckoo(slots, Storage.HEAP));
    }

    /** Structures that take part only if named. */
    private static List<Structure> others(int slots) {
        return List.of(cuckoo(slots, Storage.OFF_HEAP));
    }

    private static Structure cuckoo(int slots, Storage storage) {
        return new CuckooStructure(
                new CuckooShape(CUCKOO_FINGERPRINT_BITS, COUNTER_BITS, slots / CuckooShape.SLOTS),
                LOAD,
                storage);
    }

    /** The limit, as large as the smallest filters of the same error: 12 bits a slot. */
    static OneLineLimit limit(int slots) {
        return new OneLineLimit(slots * 3L / 2, keys(slots));
    }

    /**
     * The structure (or limit) called {@code id}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Structure one(String id, int slots) {
        OneLineLimit limit = limit(slots);
        return id.equals(limit.id()) ? limit : named(Set.of(id), slots).get(0);
    }

    /** The same kinds as {@code structures}, for another number of slots. */
    static List<Structure> like(List<Structure> structures, int slots) {
        Set<String> ids = new TreeSet<>();
        structures.forEach(structure -> ids.add(structure.id()));
        return everybody(slots).filter(structure -> ids.contains(structure.id())).toList();
    }

    /**
     * The structures with the {@code ids}; {@link #all} if no ids are given.
     *
     * @throws IllegalArgumentException if an id is unknown
     */
    static List<Structure> named(Set<String> ids, int slots) {
        List<Structure> all = everybody(slots).toList();
        Set<String> unknown = new TreeSet<>(ids);
        all.forEach(structure -> unknown.remove(structure.id()));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    "no structure is called "
                            + unknown
                            + ": choose among "
                            + all.stream().map(Structure::id).toList());
        }
        return ids.isEmpty()
                ? all(slots)
                : all.stream().filter(structure -> ids.contains(structure.id())).toList();
    }

    private static Stream<Structure> everybody(int slots) {
        return Stream.concat(all(slots).stream(), others(slots).stream());
    }

    /** The number of keys that all are made for. */
    static long keys(int slots) {
        return (long) (slots * LOAD);
    }
}
