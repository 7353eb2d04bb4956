/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import io.sluice.bench.rate.Keys;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a lookup that adds absent keys cost, by kind, size, load and share of present keys?
 * Every iteration refills the structure and then does a few operations, so that the load stays at
 * its nominal value: it ends within {@value #BATCH} keys below it.
 *
 * <pre>
 * ./sluice bench jmh AddIfAbsentBenchmark -p kind=quotient,fastutilSet -p load=0.5,0.75,0.95
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 10)
@Measurement(iterations = 15)
public class AddIfAbsentBenchmark {
    private static final int BATCH = 1 << 15;

    /** Percentage of the keys that are in the structure. */
    @Param({"0", "50", "90"})
    public int hits;

    private Keys keys;
    private long next;

    @Setup(Level.Iteration)
    public void fill(Filled filled) {
        filled.keepRoomFor(BATCH);
        keys = new Keys(filled.keys, hits * Keys.ALL / 100);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long addIfAbsent(Filled filled, Filled.Price price) {
        next += BATCH;
        return filled.contender.addIfAbsent(keys, next, BATCH);
    }
}
