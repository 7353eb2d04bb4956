/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import io.sluice.bench.run.FirstOnly;
import io.sluice.bench.run.JobEnds;
import io.sluice.bench.run.Progress;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.dedup.Deduplicate;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * One job: a sequence of ids, keyed, through an engine, to nowhere. Duplicates are drawn from the
 * whole window. Only the filter forgets what has left it; the others keep all.
 */
final class DedupRun {
    private static final double FPP = 1e-4;

    /** Event time of a run, so that ids are forgotten too, as in a job that runs for long. */
    private static final int WINDOWS = 5;

    private static final Duration WINDOW = Duration.ofMinutes(10);

    /** Each subtask's records begin with a new id. */
    static final int UNIT = 10 * Numbers.PARALLELISM;

    /** What happens between the exchange by key and the end. */
    enum Engine {
        NOOP("no-op keyed map"),
        FILTER("Deduplicate"),
        HASHMAP("ValueState on hashmap"),
        ROCKSDB("ValueState on RocksDB");

        final String title;

        Engine(String title) {
            this.title = title;
        }

        boolean isOnState() {
            return this == HASHMAP || this == ROCKSDB;
        }
    }

    /** What the ids are. */
    enum Kind {
        LONG,
        STRING36
    }

    /**
     * @param passed records that reached the end
     */
    record Result(double recordsPerSecond, long passed) {}

    private DedupRun() {}

    /**
     * Runs one job.
     *
     * @param records a multiple of {@link #UNIT}
     */
    static Result run(Engine engine, Kind kind, long records, Path checkpoints) throws Exception {
        long part = records / Numbers.PARALLELISM;
        return run(engine, kind, records, new Ids(part, part / WINDOWS - 1), checkpoints);
    }

    static Result run(Engine engine, Kind kind, long records, Ids ids, Path checkpoints)
            throws Exception {
        String backend = engine == Engine.ROCKSDB ? "rocksdb" : "hashmap";
        StreamExecutionEnvironment env = Numbers.environment(backend, checkpoints);
        DataStream<Long> numbers = Numbers.of(env, records, WINDOW.multipliedBy(WINDOWS));
        if (kind == Kind.LONG) {
            build(engine, numbers.map(new Ids.OfLong(ids)), Types.LONG, records);
        } else {
            build(engine, numbers.map(new Ids.OfString(ids)), Types.STRING, records);
        }
        Progress progress = Progress.begin(Numbers.PARALLELISM);
        env.execute(engine.title);
        return new Result(records / progress.seconds(), progress.passed());
    }

    private static <K> void build(
            Engine engine, DataStream<K> ids, TypeInformation<K> type, long records) {
        DataStream<K> once =
                switch (engine) {
                    case NOOP -> ids.keyBy(id -> id, type).map(id -> id, type);
                    case FILTER ->
                            Deduplicate.<K, K>by(id -> id)
                                    .idType(type)
                                    .uid("bench")
                                    .within(WINDOW)
                                    .timeDomain(TimeDomain.EVENT)
                                    .falsePositiveProbability(FPP)
                                    .expecting(
                                            Math.max(1, records / (WINDOWS * WINDOW.toSeconds())))
                                    .memory(MemorySize.ofMebiBytes(512))
                                    .apply(ids);
                    case HASHMAP, ROCKSDB ->
                            ids.keyBy(id -> id, type).filter(new FirstOnly<>(Duration.ZERO));
                };
        JobEnds.end(once);
    }
}
