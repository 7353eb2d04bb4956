/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A deduplication with a map of flags for each user, through failures and rescales. */
class MapDedupIT extends JobFixture {
    private static final int STEP = 3000;

    private RunningJob start(Configuration configuration) throws Exception {
        return RunningJob.start(cluster(), run(), configuration, MapDedupJob::build);
    }

    private void assertDeduplicated(JobBackend backend, RunningJob job) throws Exception {
        job.checkpoint();
        assertDeduplicated(backend, job.ledger(DedupJob.PASSED, Long.class));
    }

    private static void fail(RunningJob job) throws Exception {
        job.advance(STEP);
        job.checkpoint();
        job.failWithin(STEP, 500);
        job.advance(STEP);
        job.checkpoint();
        job.loseTaskManager(STEP);
    }

    @ParameterizedTest
    @EnumSource(names = {"CASCADE", "CASCADE_SMALL", "ROCKSDB"})
    void failuresAndRescalesLetNoDuplicatePass(JobBackend backend) throws Exception {
        RunningJob job = start(configuration(backend, SPREAD));
        fail(job);
        String checkpoint = job.checkpoint();
        job.advance(STEP);
        job.cancel();

        job = start(from(configuration(backend, 2), checkpoint, RecoveryClaimMode.NO_CLAIM));
        job.failWithin(STEP, 500);
        job.advance(STEP);
        String savepoint = job.stopWithSavepoint(savepoints(), SavepointFormatType.CANONICAL);

        job = start(from(configuration(backend, 4), savepoint, RecoveryClaimMode.NO_CLAIM));
        job.failWithin(STEP, 500);
        job.advance(STEP);
        assertDeduplicated(backend, job);
        job.cancel();
    }

    @Test
    void failuresLetNoDuplicatePassUnderFlinksChangelog() throws Exception {
        Configuration configuration = configuration(JobBackend.CASCADE, SPREAD);
        configuration.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);
        configuration.set(
                StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL, Duration.ofMillis(200));
        RunningJob job = start(configuration);
        fail(job);
        fail(job);
        job.advance(STEP);
        assertDeduplicated(JobBackend.CASCADE, job);
        job.cancel();
    }
}
