/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import io.sluice.bench.peer.Keys;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost to fill a structure from a share of its load, by kind, size and load? The time
 * is that of all operations: {@code -opi} divides it by their number, see {@link #insertions} and
 * {@link #additions}.
 *
 * <pre>
 * ./sluice bench jmh FillBenchmark.insert -p kind=quotient,fastutilSet -p from=0 -p load=0.95 -opi 3984588
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 10)
@Measurement(iterations = 15)
public class FillBenchmark {
    /** Share of the keys that are there before. */
    @Param({"0", "0.5", "0.9"})
    public double from;

    private long there;
    private long next;

    @Setup(Level.Iteration)
    public void fill(Filled filled) {
        there = (long) (from * filled.keys);
        filled.fill(there);
    }

    /** Operations of {@link #insert}. */
    public static long insertions(long keys, double from) {
        return keys - (long) (from * keys);
    }

    /** Operations of {@link #addIfAbsent}. */
    public static long additions(long keys, double from) {
        return Keys.halvesThatFill(2 * insertions(keys, from));
    }

    @Benchmark
    public Filled insert(Filled filled) {
        filled.insert(there, filled.keys);
        return filled;
    }

    /** Half of the keys are there already. */
    @Benchmark
    public long addIfAbsent(Filled filled) {
        Keys half = Keys.half(Math.max(1, there));
        long count = additions(filled.keys, from);
        long added = 0;
        for (long i = next; i < next + count; i++) {
            added += filled.structure.addIfAbsent(half.at(i)) ? 1 : 0;
        }
        next += count;
        return added;
    }
}
