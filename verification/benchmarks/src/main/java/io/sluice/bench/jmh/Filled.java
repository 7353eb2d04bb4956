/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import io.sluice.bench.peer.Keys;
import io.sluice.bench.peer.Peer;
import io.sluice.bench.peer.Peers;
import io.sluice.bench.peer.Structure;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * A structure filled to a load. All kinds are made for 0.95 times {@link #slots} keys and filled
 * with {@link #load} times {@link #slots} keys, even kinds without slots, so that all get lookups
 * of the same keys.
 *
 * <p>Not for several threads; its scope is the benchmark, because JMH gives every user of a
 * thread-scoped state its own instance.
 */
@State(Scope.Benchmark)
public class Filled {
    private static final int MAX_PROBES = 8_000_000;

    /** Ids of {@code ./sluice bench filters}. */
    @Param({
        "oneLine",
        "fastfilterBloom",
        "fastfilterBlockedBloom",
        "fastfilterCuckoo8",
        "fastfilterCuckoo16",
        "guavaBloom",
        "dataSketchesBloom",
        "fastutilSet",
        "cuckoofilter4j",
        "commonsCountingBloom",
        "windowedFingerprints",
        "windowedQuotient",
        "quotient",
        "countingCuckoo12",
        "countingCuckoo12OffHeap"
    })
    public String kind;

    /** A power of two for kinds with slots. */
    @Param("4194304")
    public int slots;

    /** Greater than 0 and at most 0.95. */
    @Param({"0.75", "0.95"})
    public double load;

    /** False-positive probability of kinds that can choose it. */
    @Param("0.00390625")
    public double fpp;

    Structure structure;
    long keys;

    /** The trial begins with the structure filled to the load. */
    @Setup
    public void create() {
        if (!(load > 0 && load <= Peer.LOAD)) {
            throw new IllegalArgumentException(
                    "load must be greater than 0 and at most " + Peer.LOAD + ", got " + load);
        }
        keys = (long) (load * slots);
        fill(keys);
    }

    /** Makes the structure anew, with the first {@code count} keys in it. */
    void fill(long count) {
        release();
        structure = Peers.named(kind).create(new Peer.Size(slots, fpp));
        insert(0, count);
    }

    @TearDown
    public void release() {
        if (structure != null) {
            structure.close();
        }
        structure = null;
    }

    /** Inserts keys {@code from} to {@code to} - 1. */
    void insert(long from, long to) {
        for (long i = from; i < to; i++) {
            structure.insert(Keys.key(i));
        }
    }

    /** Looks up {@code count} keys of a sequence; returns how many were reported. */
    long contains(Keys sequence, long from, long count) {
        long hits = 0;
        for (long i = from; i < from + count; i++) {
            hits += structure.contains(sequence.at(i)) ? 1 : 0;
        }
        return hits;
    }

    /**
     * The price of the time per operation, in separate columns of the result. JMH adds them up over
     * iterations and forks, so only the first iteration of each fork reports its share.
     */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Price {
        private double bitsPerKey;
        private double fppPerMillion;
        private boolean told;

        @Setup(Level.Iteration)
        public void tellOnce(Filled filled, IterationParams iteration, BenchmarkParams benchmark) {
            bitsPerKey = 0;
            fppPerMillion = 0;
            if (!told && iteration.getType() == IterationType.MEASUREMENT) {
                told = true;
                int forks = Math.max(1, benchmark.getForks());
                bitsPerKey = 8.0 * filled.structure.sizeInBytes() / filled.keys / forks;
                long probes = Math.min(MAX_PROBES, 4L * filled.slots);
                fppPerMillion = 1e6 * filled.contains(Keys.absent(), 0, probes) / probes / forks;
            }
        }

        public double bitsPerKey() {
            return bitsPerKey;
        }

        /** Measured number of absent keys reported, per million. */
        public double fppPerMillion() {
            return fppPerMillion;
        }
    }
}
