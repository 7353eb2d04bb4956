/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import io.sluice.bench.run.EverySecond;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The numbers from 0 on, spread evenly over event time, as the input of a local job. */
final class Numbers {
    static final int PARALLELISM = 2;

    private static final Duration CHECKPOINTS = Duration.ofSeconds(10);

    private Numbers() {}

    /** Returns an environment with object reuse and incremental checkpoints. */
    static StreamExecutionEnvironment environment(String backend, Path checkpoints) {
        Configuration configuration = new Configuration();
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(512));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(64));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM, configuration);
        env.enableCheckpointing(CHECKPOINTS.toMillis());
        return env;
    }

    /** Returns {@code count} numbers; each subtask spreads its own over the whole time. */
    static DataStream<Long> of(StreamExecutionEnvironment env, long count, Duration time) {
        double millisEach = (double) time.toMillis() * PARALLELISM / count;
        return env.fromSource(
                new NumberSequenceSource(0, count - 1),
                WatermarkStrategy.<Long>forGenerator(context -> new EverySecond())
                        .withTimestampAssigner(context -> new Evenly(millisEach)),
                "numbers");
    }

    private static final class Evenly implements TimestampAssigner<Long> {
        private final double millisEach;
        private long emitted;

        private Evenly(double millisEach) {
            this.millisEach = millisEach;
        }

        @Override
        public long extractTimestamp(Long number, long none) {
            return (long) (emitted++ * millisEach);
        }
    }
}
