/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.state.CascadeBackendOptions;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A deduplication with flags as users write it, through everything that can happen to a job. */
class DedupIT extends JobFixture {
    private static final int STEP = 3000;

    /** Ways to configure checkpoints and recovery that a backend has to get along with. */
    private enum Setting {
        PLAIN(configuration -> {}),
        LOCAL_RECOVERY(
                configuration -> {
                    configuration.set(StateRecoveryOptions.LOCAL_RECOVERY, true);
                    configuration.set(CheckpointingOptions.LOCAL_BACKUP_ENABLED, true);
                }),
        UNALIGNED(configuration -> configuration.set(CheckpointingOptions.ENABLE_UNALIGNED, true)),
        FILE_MERGING(
                configuration ->
                        configuration.set(CheckpointingOptions.FILE_MERGING_ENABLED, true)),
        CHANGELOG(
                configuration -> {
                    configuration.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);
                    configuration.set(
                            StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL,
                            Duration.ofMillis(200));
                }),
        FULL_CHECKPOINTS(
                configuration ->
                        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, false));

        private final Consumer<Configuration> change;

        Setting(Consumer<Configuration> change) {
            this.change = change;
        }
    }

    private RunningJob start(Configuration configuration) throws Exception {
        return RunningJob.start(cluster(), run(), configuration, DedupJob::build);
    }

    private void assertDeduplicated(JobBackend backend, RunningJob job) throws Exception {
        job.checkpoint();
        assertDeduplicated(backend, job.ledger(DedupJob.PASSED, Long.class));
    }

    @ParameterizedTest
    @CsvSource({
        "CASCADE, PLAIN",
        "CASCADE, LOCAL_RECOVERY",
        "CASCADE, UNALIGNED",
        "CASCADE, FILE_MERGING",
        "CASCADE, CHANGELOG",
        "CASCADE, FULL_CHECKPOINTS",
        "CASCADE_SMALL, PLAIN",
        "CASCADE_SMALL, LOCAL_RECOVERY",
        "CASCADE_SMALL, FILE_MERGING",
        "CASCADE_SMALL, CHANGELOG",
        "ROCKSDB, PLAIN"
    })
    void failuresAndLostTaskManagersLetNoDuplicatePass(JobBackend backend, Setting setting)
            throws Exception {
        Configuration configuration = configuration(backend, SPREAD);
        setting.change.accept(configuration);
        RunningJob job = start(configuration);
        job.failWithin(STEP, 500);
        for (int i = 0; i < 2; i++) {
            job.advance(STEP);
            job.checkpoint();
            job.failWithin(STEP, 500);
            job.advance(STEP);
            job.checkpoint();
            job.loseTaskManager(STEP);
        }
        job.advance(STEP);
        // Unlike an unaligned checkpoint, it waits until all records have come through.
        job.stopWithSavepoint(savepoints(), SavepointFormatType.NATIVE);
        assertDeduplicated(backend, job.ledger(DedupJob.PASSED, Long.class));
    }

    @ParameterizedTest
    @CsvSource({"CASCADE, CLAIM", "CASCADE, NO_CLAIM", "CASCADE_SMALL, CLAIM"})
    void rescalesFromCheckpointsLetNoDuplicatePass(JobBackend backend, RecoveryClaimMode mode)
            throws Exception {
        Configuration configuration = configuration(backend, 2);
        for (int parallelism : new int[] {3, 1, 4}) {
            RunningJob job = start(configuration);
            job.advance(STEP);
            job.checkpoint();
            job.advance(STEP);
            String checkpoint = job.checkpoint();
            job.advance(STEP);
            job.cancel();
            configuration = from(configuration(backend, parallelism), checkpoint, mode);
        }
        RunningJob job = start(configuration);
        job.failWithin(STEP, 500);
        job.advance(STEP);
        assertDeduplicated(backend, job);
        job.failWithin(STEP, 500);
        assertDeduplicated(backend, job);
        job.cancel();
    }

    @ParameterizedTest
    @EnumSource(names = {"CASCADE", "CASCADE_SMALL"})
    void rescalesFromNativeSavepointsLetNoDuplicatePass(JobBackend backend) throws Exception {
        Configuration configuration = configuration(backend, 4);
        for (int parallelism : new int[] {1, 3}) {
            RunningJob job = start(configuration);
            job.advance(STEP);
            job.checkpoint();
            job.advance(STEP);
            String savepoint = job.stopWithSavepoint(savepoints(), SavepointFormatType.NATIVE);
            configuration =
                    from(
                            configuration(backend, parallelism),
                            savepoint,
                            RecoveryClaimMode.NO_CLAIM);
        }
        RunningJob job = start(configuration);
        job.failWithin(STEP, 500);
        job.advance(STEP);
        assertDeduplicated(backend, job);
        job.cancel();
    }

    @ParameterizedTest
    @EnumSource(names = {"CASCADE", "CASCADE_SMALL"})
    void aJobGoesOnAfterASavepoint(JobBackend backend) throws Exception {
        RunningJob job = start(configuration(backend, 2));
        job.advance(STEP);
        job.checkpoint();
        job.advance(STEP);
        job.savepoint(savepoints(), SavepointFormatType.NATIVE);
        job.advance(STEP);
        job.checkpoint();
        job.failWithin(STEP, 500);
        assertDeduplicated(backend, job);
        job.cancel();
    }

    @ParameterizedTest
    @EnumSource(names = {"CASCADE", "CASCADE_SMALL"})
    void savepointsAndStopsOfTheDefaultFormatWork(JobBackend backend) throws Exception {
        RunningJob job = start(configuration(backend, 2));
        int attempts = job.attempts();
        job.advance(STEP);
        job.checkpoint();
        job.advance(STEP);
        job.savepoint(savepoints(), SavepointFormatType.DEFAULT);
        job.advance(STEP);
        assertThat(job.attempts()).isEqualTo(attempts);
        String savepoint = job.stopWithSavepoint(savepoints(), SavepointFormatType.DEFAULT);
        job = start(from(configuration(backend, SPREAD), savepoint, RecoveryClaimMode.NO_CLAIM));
        job.failWithin(STEP, 500);
        job.advance(STEP);
        assertDeduplicated(backend, job);
        job.cancel();
    }

    @Test
    void aJobStartsAgainWithOtherOptions() throws Exception {
        RunningJob job = start(configuration(JobBackend.CASCADE, 2));
        job.advance(STEP);
        job.checkpoint();
        job.advance(STEP);
        String savepoint = job.stopWithSavepoint(savepoints(), SavepointFormatType.NATIVE);

        Configuration other = configuration(JobBackend.CASCADE, SPREAD);
        other.set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, 1e-2);
        other.set(CascadeBackendOptions.BUFFER_SIZE, MemorySize.parse("4kb"));
        other.set(CascadeBackendOptions.CAPACITY, 2000L);
        other.set(CascadeBackendOptions.MERGE_POLICY, "doubling");
        other.set(CascadeBackendOptions.OVERVIEW_BITS, 0);
        other.set(CascadeBackendOptions.SUMMARY_BITS, 6);
        job = start(from(other, savepoint, RecoveryClaimMode.NO_CLAIM));
        job.failWithin(STEP, 500);
        job.advance(STEP);
        job.checkpoint();
        // The larger of both probabilities, for the whole run.
        assertDeduplicated(JobBackend.CASCADE_SMALL, job.ledger(DedupJob.PASSED, Long.class));
        job.cancel();
    }
}
