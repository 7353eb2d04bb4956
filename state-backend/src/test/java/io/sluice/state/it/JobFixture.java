/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of two task managers with two slots each, and how its jobs are configured. */
abstract class JobFixture {
    static final int MAX_PARALLELISM = 50;

    /** For {@link #parallelism(Configuration, int)}: more than the slots of one task manager. */
    static final int SPREAD = 3;

    private static Cluster cluster;

    @TempDir Path directory;
    private Run run;

    @BeforeAll
    static void startCluster(@TempDir Path temporary) throws Exception {
        cluster = new Cluster(temporary);
    }

    @AfterAll
    static void stopCluster() throws Exception {
        cluster.stop();
    }

    @BeforeEach
    void startRun() {
        run = Run.start();
    }

    @AfterEach
    void endRun() throws Exception {
        cluster.cancelAll();
        run.end();
    }

    static Cluster cluster() {
        return cluster;
    }

    final Run run() {
        return run;
    }

    /** Takes checkpoints only on request, and keeps them; restarts as often as necessary. */
    final Configuration configuration(JobBackend backend, int parallelism) {
        Configuration configuration = new Configuration();
        backend.configure(configuration);
        parallelism(configuration, parallelism);
        configuration.set(PipelineOptions.MAX_PARALLELISM, MAX_PARALLELISM);
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofDays(1));
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                directory.resolve("checkpoints").toUri().toString());
        configuration.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        configuration.set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, MemorySize.ZERO);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        return configuration;
    }

    static void parallelism(Configuration configuration, int parallelism) {
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, parallelism);
    }

    static Configuration from(Configuration configuration, String path, RecoveryClaimMode mode) {
        configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, path);
        configuration.set(StateRecoveryOptions.RESTORE_MODE, mode);
        return configuration;
    }

    final String savepoints() {
        return directory.resolve("savepoints").toUri().toString();
    }

    /**
     * Checks that every id of the admitted records passed once, except for first occurrences that
     * the backend's error may drop.
     */
    final void assertDeduplicated(JobBackend backend, List<Long> passed) {
        Set<Long> expected = Ids.distinct(run.gate().admitted());
        Set<Long> dropped = new HashSet<>(expected);
        for (long id : passed) {
            assertThat(expected.contains(id)).as("%d was there", id).isTrue();
            assertThat(dropped.remove(id)).as("%d passed for the first time", id).isTrue();
        }
        double mean = expected.size() * backend.falsePositiveProbability();
        assertThat(dropped.size())
                .as("first occurrences dropped of %d", expected.size())
                .isLessThanOrEqualTo((int) Math.ceil(mean + 5 * Math.sqrt(mean)));
    }
}
