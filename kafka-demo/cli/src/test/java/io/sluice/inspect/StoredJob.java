/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.state.CascadeStateBackendFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** A job with both engines, of which a checkpoint or savepoint is taken. */
final class StoredJob {

    static final int MAX_PARALLELISM = 50;
    static final double FPP = 1e-4;
    static final Duration WINDOW = Duration.ofSeconds(60);

    private static final int DEADLINE_SECONDS = 60;

    private StoredJob() {}

    /** What is taken. */
    enum Kind {
        CHECKPOINT,
        NATIVE,
        CANONICAL
    }

    /**
     * Runs a job on {@code records} different ids, one a millisecond, and returns the path.
     *
     * @param cascade whether flags are kept in filters; otherwise on the heap
     */
    static Path take(
            MiniCluster cluster,
            Path folder,
            boolean cascade,
            Kind kind,
            int parallelism,
            long records)
            throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(
                StateBackendOptions.STATE_BACKEND,
                cascade ? CascadeStateBackendFactory.class.getName() : "hashmap");
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        configuration.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        configuration.setString(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY.key(), folder.toUri().toString());
        // Even the smallest state has a file.
        configuration.setString(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD.key(), "0b");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.setMaxParallelism(MAX_PARALLELISM);
        Gate.openFor(records);
        DataStream<Long> ids =
                env.fromSource(
                                new DataGeneratorSource<>(
                                        n -> n, Long.MAX_VALUE, p -> new Gate<>(), Types.LONG),
                                WatermarkStrategy.<Long>forMonotonousTimestamps()
                                        .withTimestampAssigner((id, timestamp) -> id),
                                "ids")
                        .uid("ids")
                        .setParallelism(1);
        Deduplicate.by((Long id) -> id)
                .uid("once")
                .within(WINDOW)
                .falsePositiveProbability(FPP)
                .expecting(1000)
                .apply(ids)
                .sinkTo(new DiscardingSink<>());
        IdempotentCounters.of((Long id) -> (int) (id % 100))
                .operation((Long id) -> id)
                .uid("counts")
                .within(WINDOW)
                .falsePositiveProbability(FPP)
                .expecting(1000)
                .apply(ids)
                .sinkTo(new DiscardingSink<>());
        ids.keyBy(id -> id, Types.LONG)
                .filter(new FirstOnly(FPP))
                .uid("flags")
                .sinkTo(new DiscardingSink<>());
        JobClient job = env.executeAsync();
        Gate.awaitClosed();
        CommonTestUtils.waitForAllTaskRunning(cluster, job.getJobID(), false);
        String taken =
                switch (kind) {
                    case CHECKPOINT ->
                            cluster.triggerCheckpoint(job.getJobID())
                                    .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
                    case NATIVE -> savepoint(job, folder, SavepointFormatType.NATIVE);
                    case CANONICAL -> savepoint(job, folder, SavepointFormatType.CANONICAL);
                };
        job.cancel().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        return local(taken);
    }

    private static String savepoint(JobClient job, Path folder, SavepointFormatType format)
            throws Exception {
        return job.triggerSavepoint(folder.toString(), format)
                .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private static Path local(String uri) {
        return uri.startsWith("file:") ? Path.of(URI.create(uri)) : Path.of(uri);
    }
}
