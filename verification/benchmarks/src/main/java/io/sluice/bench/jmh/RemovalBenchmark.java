/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import io.sluice.bench.peer.Keys;
import io.sluice.bench.peer.Peers;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost to remove a tenth of the keys, by kind, size and load? Only for kinds that can
 * remove. The time is that of all {@link #removals}: {@code -opi} divides it by their number.
 *
 * <pre>
 * ./sluice bench jmh RemovalBenchmark -p kind=fastutilSet,quotient -p load=0.95 -opi 398458
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 10)
@Measurement(iterations = 15)
public class RemovalBenchmark {

    @Setup(Level.Iteration)
    public void fill(Filled filled) {
        if (!Peers.named(filled.kind).removes()) {
            throw new IllegalArgumentException(filled.kind + " cannot remove: leave it out");
        }
        filled.fill(filled.keys);
    }

    /** Operations of {@link #remove}. */
    public static long removals(long keys) {
        return Math.max(1, keys / 10);
    }

    @Benchmark
    public long remove(Filled filled) {
        long removed = 0;
        for (long i = 0; i < removals(filled.keys); i++) {
            removed += filled.structure.remove(Keys.key(i)) ? 1 : 0;
        }
        return removed;
    }
}
