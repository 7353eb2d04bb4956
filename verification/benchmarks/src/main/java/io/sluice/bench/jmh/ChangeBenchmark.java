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
 * What does it cost to fill a structure up from a share of its load, or to remove a tenth of the
 * keys there, by kind, size and load? The time is that of all operations: {@code -opi} divides it
 * by their number, see {@link #insertions}, {@link #additions} and {@link #removals}.
 *
 * <pre>
 * ./sluice bench jmh ChangeBenchmark.insert -p kind=quotient,fastutilSet -p from=0 -p load=0.95 -opi 3984588
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 10)
@Measurement(iterations = 15)
public class ChangeBenchmark {
    /** Share of the keys that are there before. */
    @Param({"0", "0.5", "0.9", "1"})
    public double from;

    private long there;
    private long next;

    @Setup(Level.Iteration)
    public void fill(Filled filled) {
        there = (long) (from * filled.keys);
        filled.fill(there);
    }

    /** Operations of {@link #insert}. */
    static long insertions(long keys, double from) {
        return keys - (long) (from * keys);
    }

    /** Operations of {@link #addIfAbsent}. */
    static long additions(long keys, double from) {
        return Keys.halvesThatFill(Math.max(1, 2 * insertions(keys, from)));
    }

    /** Operations of {@link #remove}. */
    static long removals(long keys, double from) {
        return (long) (from * keys) / 10;
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

    /** Only of kinds that can: the others fail. */
    @Benchmark
    public long remove(Filled filled) {
        long removed = 0;
        for (long i = 0; i < removals(filled.keys, from); i++) {
            removed += filled.structure.remove(Keys.key(i)) ? 1 : 0;
        }
        return removed;
    }
}
