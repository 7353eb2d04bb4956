/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import io.sluice.bench.peer.Keys;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a lookup cost, by kind, size, load and share of present keys? Lookups do not wait for
 * each other, as in stream deduplication.
 *
 * <pre>
 * ./sluice bench jmh LookupBenchmark -p kind=quotient,fastfilterCuckoo16 -p slots=67108864 -p hits=0
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LookupBenchmark {
    private static final int BATCH = 1024;

    /** Numbers of absent keys that the measurement of the error does not look up. */
    private long next = 1L << 40;

    /** Percentage of the keys that are in the structure. */
    @Param({"0", "50", "100"})
    public int hits;

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long contains(Filled filled, Filled.Price price) {
        next += BATCH;
        return filled.contains(new Keys(filled.keys, hits * Keys.ALL / 100), next, BATCH);
    }
}
