/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two jobs that know nothing of each other, on one broker. */
class TwoJobsIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir private Path folder;

    @Test
    void twoCountersJobsWithOutputTopicsOfTheirOwnRunUndisturbedOnOneBroker() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 2)) {
            kafka.createTopics(1, "packets");
            Packets.send(kafka, "packets", 1, 1000, Duration.ofMillis(10));
            RunningJob first = start(flink, kafka, "one");
            RunningJob second = start(flink, kafka, "two");
            first.awaitRunning(LIMIT);
            second.awaitRunning(LIMIT);

            int before = first.checkpoints().size();
            first.await("seen to go on", LIMIT, () -> first.checkpoints().size() >= before + 5);
            int then = second.checkpoints().size();
            second.await("seen to go on", LIMIT, () -> second.checkpoints().size() >= then + 5);

            assertThat(List.of(first.restarts(), second.restarts())).containsOnly(0L);
            assertThat(Topics.sum(kafka, "one")).isEqualTo(1000);
            assertThat(Topics.sum(kafka, "two")).isEqualTo(1000);
        }
    }

    private static RunningJob start(LocalFlink flink, EmbeddedKafka kafka, String output)
            throws Exception {
        CountersOptions options =
                CountersOptions.parse(
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--output-topic=" + output,
                        "--checkpoint-interval=200 ms");
        JobTopics.prepare(options);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(1);
        CountersJob.define(env, options);
        return flink.submit(env, output);
    }
}
