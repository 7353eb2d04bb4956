/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.Machines;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.state.CascadeBackendOptions;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * A job that runs in a cluster of its own, on ids that are their own timestamps, and whose
 * savepoint is taken when it has read them all.
 */
final class RegionalJob {

    static final int COUNTERS = 100;

    /** So low that no id of a test is taken for another. */
    static final double FPP = 1e-9;

    private static final double LEAST_ERROR = 1e-9;

    private static final int DEADLINE_SECONDS = 60;

    int parallelism = 2;
    int maxParallelism = 50;
    Duration window = Duration.ofSeconds(60);
    Duration outOfOrderness = Duration.ofSeconds(60);
    int shadowIds = 1 << 20;
    long hashSeed;
    String backend = "hashmap";
    SavepointFormatType format = SavepointFormatType.NATIVE;
    StoreKind store = StoreKind.EXACT;

    /** The savepoint that the job goes on from; null if it begins anew. */
    @Nullable Path restoredFrom;

    /** How many ids the job had read at that savepoint. */
    int readBefore;

    boolean verifies;

    /** Whether counters have two operators. */
    boolean twoPhases;

    /** Whether ids are never forgotten: then they are flags in the state backend. */
    boolean forever;

    /** Whether the job has an operator with state of its own. */
    boolean keepsStates;

    /** The probability of flags, for which the job then has an operator; 0 for none. */
    double flags;

    /** Which of two neighbours came: neither order nor repetition matters. */
    private static final MachineDefinition PAIRS =
            MachineDefinition.named("pairs")
                    .initial("none")
                    .timeToLive(Duration.ofDays(1))
                    .state("even")
                    .state("odd")
                    .state("both")
                    .transition("none", "0", "even")
                    .transition("none", "1", "odd")
                    .transition("even", "0", "even")
                    .transition("even", "1", "both")
                    .transition("odd", "0", "both")
                    .transition("odd", "1", "odd")
                    .transition("both", "0", "both")
                    .transition("both", "1", "both")
                    .build();

    /** Watermarks with each record: so the clock at the savepoint is that of the last one. */
    private record EachRecord(long outOfOrderness) implements WatermarkGenerator<Long> {
        @Override
        public void onEvent(Long id, long timestamp, WatermarkOutput output) {
            output.emitWatermark(new Watermark(timestamp - outOfOrderness));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            // All are emitted by records.
        }
    }

    Path take(Path folder, long... ids) throws Exception {
        Configuration settings = new Configuration();
        settings.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(128));
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(settings)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(parallelism)
                                .withRandomPorts()
                                .build());
        try {
            cluster.start();
            Passed.clear();
            JobGraph job = job(folder, ids);
            if (restoredFrom != null) {
                job.setSavepointRestoreSettings(
                        SavepointRestoreSettings.forPath(restoredFrom.toUri().toString()));
            }
            Gate.openFor(ids.length);
            cluster.submitJob(job).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            Gate.awaitClosed();
            CommonTestUtils.waitForAllTaskRunning(cluster, job.getJobID(), false);
            String taken =
                    cluster.triggerSavepoint(
                                    job.getJobID(), folder.toUri().toString(), false, format)
                            .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            return Path.of(URI.create(taken));
        } finally {
            cluster.close();
        }
    }

    private JobGraph job(Path folder, long... ids) {
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        configuration.setString(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY.key(), folder.toUri().toString());
        configuration.set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, FPP);
        // Even the smallest state has a file.
        configuration.setString(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD.key(), "0b");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.setMaxParallelism(maxParallelism);
        long bound = outOfOrderness.toMillis();
        int before = readBefore;
        DataStream<Long> stream =
                env.fromSource(
                                new DataGeneratorSource<>(
                                        n -> ids[(int) (n - before)],
                                        Long.MAX_VALUE,
                                        p -> new Gate<>(),
                                        Types.LONG),
                                WatermarkStrategy.<Long>forGenerator(
                                                context -> new EachRecord(bound))
                                        .withTimestampAssigner((id, timestamp) -> id),
                                "ids")
                        .uid("ids")
                        .setParallelism(1);
        Deduplicate<Long, Long> once =
                Deduplicate.by((Long id) -> id).uid("once").hashSeed(hashSeed);
        if (forever) {
            once.forever();
        } else {
            once.within(window).falsePositiveProbability(FPP).shadowIds(shadowIds).expecting(1000);
        }
        if (verifies) {
            once.verify();
        }
        Passed.record("once", once.apply(stream));
        IdempotentCounters<Long, Integer> counters =
                IdempotentCounters.of((Long id) -> (int) (id % COUNTERS))
                        .operation((Long id) -> id)
                        .uid("counts")
                        .within(window)
                        .falsePositiveProbability(FPP)
                        .hashSeed(hashSeed)
                        .shadowIds(shadowIds)
                        .expecting(1000);
        if (twoPhases) {
            counters.twoPhases().emitEvery(Duration.ofHours(1));
        }
        counters.apply(stream).sinkTo(new DiscardingSink<>());
        Machines.by((Long id) -> id / 2)
                .uid("pairs")
                .machine(PAIRS)
                .event(id -> String.valueOf(id % 2))
                .store(store)
                .errorProbability(LEAST_ERROR)
                .expecting(1000)
                .hashSeed(hashSeed)
                .apply(stream)
                .sinkTo(new DiscardingSink<>());
        if (flags > 0) {
            Passed.record(
                    "flags",
                    stream.keyBy(id -> id, Types.LONG).filter(new FirstOnly(flags)).uid("flags"));
        }
        if (keepsStates) {
            stream.keyBy(id -> id % KeptStates.KEYS, Types.LONG)
                    .map(new KeptStates())
                    .uid("kept")
                    .sinkTo(new DiscardingSink<>());
        }
        return env.getStreamGraph().getJobGraph();
    }
}
