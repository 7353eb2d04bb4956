/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import io.sluice.bench.rate.RemovableContender;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does removing a key cost, by kind, size and load? Only for kinds that can remove.
 *
 * <pre>
 * ./sluice bench jmh RemovalBenchmark -p kind=fastutilSet,quotient,countingCuckoo12 -p load=0.95
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 10)
@Measurement(iterations = 15)
public class RemovalBenchmark {
    private static final int BATCH = 1 << 15;

    private RemovableContender contender;

    @Setup(Level.Iteration)
    public void fill(Filled filled) {
        if (!(filled.contender instanceof RemovableContender removable)) {
            throw new IllegalArgumentException(filled.kind + " cannot remove: leave it out");
        }
        contender = removable;
        filled.fill();
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long remove(Filled filled, Filled.Price price) {
        return contender.remove(0, BATCH);
    }
}
