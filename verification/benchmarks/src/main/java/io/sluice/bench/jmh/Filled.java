/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import io.sluice.bench.filters.Entrants;
import io.sluice.bench.rate.Contender;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
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
    private static final int FPP_PROBES = 4_000_000;

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

    /** A power of two. */
    @Param("4194304")
    public int slots;

    @Param({"0.75", "0.95"})
    public double load;

    Contender contender;
    long keys;

    /** Makes the structure; the trial begins with it filled to the load. */
    @Setup
    public void create() {
        contender = Contender.of(Entrants.one(kind, slots));
        if (!(load > 0 && load <= Entrants.LOAD)) {
            throw new IllegalArgumentException(
                    "load must be greater than 0 and at most " + Entrants.LOAD + ", got " + load);
        }
        keys = Math.min((long) (load * slots), contender.capacity());
        fill();
    }

    void fill() {
        contender.structure().begin();
        contender.insert(0, keys);
    }

    /** Refills with {@code additions} keys fewer than the load if they would not fit otherwise. */
    void keepRoomFor(int additions) {
        keys = Math.min(keys, Math.max(1, contender.capacity() - additions));
        fill();
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
                bitsPerKey = 8.0 * filled.contender.structure().sizeInBytes() / filled.keys / forks;
                fppPerMillion = 1e6 * filled.contender.measuredFpp(0, FPP_PROBES) / forks;
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
