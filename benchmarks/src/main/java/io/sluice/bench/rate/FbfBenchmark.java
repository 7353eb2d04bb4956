/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import io.sluice.filter.forgetful.Layout;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One lookup or insertion, in a process of its own. {@link FilterRates} is what the documentation
 * quotes, because its peers take turns in one process; this is for looking closer:
 *
 * <pre>
 * java -cp benchmarks/target/classes:$(cat benchmarks/target/classpath.txt) org.openjdk.jmh.Main \
 *     FbfBenchmark -p kind=WINDOWED -p megabytes=128 -p hits=0
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
public class FbfBenchmark {
    private static final double FPP = 1e-3;

    /** What is asked. */
    public enum Kind {
        LIMIT,
        PLAIN_BLOOM,
        BLOCKED_BLOOM,
        WINDOWED,
        WINDOWED_SCATTERED,
        FBF_N1,
        FBF_N14
    }

    @Param({"LIMIT", "PLAIN_BLOOM", "WINDOWED", "WINDOWED_SCATTERED", "FBF_N1", "FBF_N14"})
    public Kind kind;

    @Param({"1", "128"})
    public int megabytes;

    /** Keys of 256 that are in the filter. */
    @Param({"0", "128", "256"})
    public int hits;

    private Contender contender;
    private Keys keys;
    private long next;

    @Setup
    public void fill() {
        contender = create(kind, (long) megabytes << 20);
        contender.fill();
        keys = new Keys(contender.capacity(), hits);
    }

    private static Contender create(Kind kind, long bytes) {
        return switch (kind) {
            case LIMIT -> new OneLineLimit(bytes, new FastBloom(bytes).capacity());
            case PLAIN_BLOOM -> new FastBloom(bytes);
            case BLOCKED_BLOOM -> new FastBlockedBloom(bytes);
            case WINDOWED -> new WindowedContender(bytes, FPP, Layout.BLOCKED);
            case WINDOWED_SCATTERED -> new WindowedContender(bytes, FPP, Layout.SCATTERED);
            case FBF_N1 -> new ForgetfulContender(bytes, FPP, 1, Layout.BLOCKED);
            case FBF_N14 -> new ForgetfulContender(bytes, FPP, 14, Layout.BLOCKED);
        };
    }

    @Benchmark
    public long contains() {
        return contender.contains(keys, next++, 1);
    }

    @Benchmark
    public long addIfAbsent() {
        return contender.addIfAbsent(keys, next++, 1);
    }
}
