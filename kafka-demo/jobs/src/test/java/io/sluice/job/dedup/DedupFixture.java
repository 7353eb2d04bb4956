/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.job.JobTopics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** A broker for all tests of a class, and a Flink cluster and a topic for each of them. */
abstract class DedupFixture {
    static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir static Path folder;

    static EmbeddedKafka kafka;

    LocalFlink flink;

    /** Named after the test; it has two partitions. */
    String topic;

    /** Of checkpoints, unless the options of a job say otherwise. */
    String interval = "1 s";

    @BeforeAll
    static void startKafka() throws IOException {
        kafka = EmbeddedKafka.start(folder);
    }

    @AfterAll
    static void stopKafka() throws IOException {
        kafka.close();
    }

    @BeforeEach
    void startFlink(TestInfo test) throws IOException {
        flink = LocalFlink.start(folder, 1, 2);
        topic = test.getTestMethod().orElseThrow().getName();
        kafka.createTopics(2, topic);
    }

    @AfterEach
    void stopFlink() throws IOException {
        flink.close();
    }

    /**
     * The options of a job, whose topics are prepared.
     *
     * @param more the others; the topic is the input, and begins the name of the output, unless
     *     these say otherwise
     */
    final DedupOptions options(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add("--bootstrap-servers=" + kafka.bootstrapServers());
        addUnlessGiven(arguments, "--input-topic", topic);
        addUnlessGiven(arguments, "--output-topic", topic + "-out");
        addUnlessGiven(arguments, "--checkpoint-interval", interval);
        if (!arguments.contains("--forever")) {
            addUnlessGiven(arguments, "--within", "1h");
        }
        DedupOptions options = DedupOptions.parse(arguments.toArray(String[]::new));
        JobTopics.prepare(options);
        return options;
    }

    private static void addUnlessGiven(List<String> arguments, String option, String value) {
        if (arguments.stream().noneMatch(argument -> argument.matches(option + "(-pattern)?=.*"))) {
            arguments.add(option + "=" + value);
        }
    }

    /** The job with these options, which are as in {@link #options}, in two subtasks. */
    final StreamExecutionEnvironment env(String... more) throws IOException {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(2);
        DedupJob.define(env, options(more));
        return env;
    }
}
