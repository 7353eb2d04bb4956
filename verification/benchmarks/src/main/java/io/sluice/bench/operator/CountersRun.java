/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import io.sluice.bench.run.JobEnds;
import io.sluice.bench.run.Progress;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.counter.IdempotentCounters;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** One job: operations, each twice, through counters on RocksDB, to nowhere. */
final class CountersRun {
    private static final double FPP = 1e-4;
    private static final int WINDOWS = 5;
    private static final Duration WINDOW = Duration.ofMinutes(10);

    /** Counters with as many operations as others. */
    private static final long FEW = 1_000;

    private static final long MANY = 1_000_000;

    /** A retry comes after this part of all operations, which is 15 s of event time. */
    private static final int RETRY_AFTER_PART = 200;

    /** What counts. */
    enum Engine {
        NOOP("no-op map keyed by counter"),
        ONE_PHASE("counters in one phase"),
        TWO_PHASES("counters in two phases");

        final String title;

        Engine(String title) {
            this.title = title;
        }
    }

    /** Which counters the operations are for. */
    enum Counters {
        FEW_EVEN("1,000 counters"),
        MANY_EVEN("1,000,000 counters"),
        ONE_HOT("9 of 10 operations for one of 1,001 counters");

        final String title;

        Counters(String title) {
            this.title = title;
        }

        long of(long operation) {
            return switch (this) {
                case FEW_EVEN -> operation % FEW;
                case MANY_EVEN -> operation % MANY;
                case ONE_HOT -> operation % 10 == 0 ? operation / 10 % FEW : -1;
            };
        }
    }

    /**
     * @param counted sum of the counters; without counters, the operations that came through
     */
    record Result(double operationsPerSecond, long counted) {}

    /** Each subtask of the source counts for itself, whatever its numbers. */
    private static final class Operations extends RichMapFunction<Long, Long> {
        private final long retryAfter;
        private transient long next;
        private transient long first;

        private Operations(long records) {
            retryAfter = distinct(records) / Numbers.PARALLELISM / RETRY_AFTER_PART;
        }

        @Override
        public void open(OpenContext context) {
            next = 0;
            first = Long.MIN_VALUE;
        }

        @Override
        public Long map(Long number) {
            if (first == Long.MIN_VALUE) {
                first = number;
            }
            if (next == 0) {
                Progress.current().firstRecord();
            }
            long step = next++;
            long operation = step % 2 == 0 ? step / 2 : Math.max(0, step / 2 - retryAfter);
            return first + operation;
        }
    }

    private CountersRun() {}

    /** Operations among this many records, a multiple of twice the parallelism. */
    static long distinct(long records) {
        return records / 2;
    }

    /** Runs one job of as many operations as {@code records}, retries included. */
    static Result run(Engine engine, Counters counters, long records, Path checkpoints)
            throws Exception {
        StreamExecutionEnvironment env = Numbers.environment("rocksdb", checkpoints);
        DataStream<Long> operations =
                Numbers.of(env, records, WINDOW.multipliedBy(WINDOWS)).map(new Operations(records));
        if (engine == Engine.NOOP) {
            JobEnds.end(operations.keyBy(counters::of, Types.LONG).map(id -> id, Types.LONG));
        } else {
            IdempotentCounters<Long, Long> builder =
                    IdempotentCounters.of((Long operation) -> counters.of(operation))
                            .operation((Long operation) -> operation)
                            .uid("bench")
                            .within(WINDOW)
                            .timeDomain(TimeDomain.EVENT)
                            .falsePositiveProbability(FPP)
                            .expecting(Math.max(1, records / (2 * WINDOWS * WINDOW.toSeconds())))
                            .memory(MemorySize.ofMebiBytes(512))
                            .emitEvery(Duration.ofSeconds(1));
            JobEnds.end(
                    (engine == Engine.TWO_PHASES ? builder.twoPhases() : builder)
                            .apply(operations));
        }
        Progress progress = Progress.begin(Numbers.PARALLELISM);
        env.execute(engine.title);
        return new Result(records / progress.seconds(), progress.passed());
    }
}
