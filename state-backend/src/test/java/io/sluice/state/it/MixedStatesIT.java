/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The other states of a job with flags are what they are on an exact backend without failures. */
class MixedStatesIT extends JobFixture {
    private static final int STEP = 3000;
    private static final int STEPS = 6;

    private record Output(List<String> events, List<String> windows, List<Long> passed) {}

    private static Output output(RunningJob job) throws Exception {
        job.checkpoint();
        return new Output(
                job.ledger(MixedJob.EVENTS, String.class).stream().sorted().toList(),
                job.ledger(MixedJob.WINDOWS, String.class).stream().sorted().toList(),
                job.ledger(DedupJob.PASSED, Long.class));
    }

    private static Output exactRun(Configuration configuration) throws Exception {
        Run run = Run.start();
        RunningJob job = RunningJob.start(cluster(), run, configuration, MixedJob::build);
        job.advance(STEPS * STEP);
        Output output = output(job);
        job.cancel();
        run.end();
        return output;
    }

    @ParameterizedTest
    @EnumSource(names = {"CASCADE", "CASCADE_SMALL"})
    void otherStatesAreNotHarmed(JobBackend backend) throws Exception {
        RunningJob job =
                RunningJob.start(cluster(), run(), configuration(backend, SPREAD), MixedJob::build);
        job.advance(STEP);
        job.checkpoint();
        job.failWithin(STEP, 500);
        job.checkpoint();
        job.loseTaskManager(STEP);
        String savepoint = job.stopWithSavepoint(savepoints(), SavepointFormatType.NATIVE);

        job =
                RunningJob.start(
                        cluster(),
                        run(),
                        from(configuration(backend, 2), savepoint, RecoveryClaimMode.NO_CLAIM),
                        MixedJob::build);
        job.advance(STEP);
        job.failWithin(STEP, 500);
        String checkpoint = job.checkpoint();
        job.cancel();

        job =
                RunningJob.start(
                        cluster(),
                        run(),
                        from(configuration(backend, 4), checkpoint, RecoveryClaimMode.CLAIM),
                        MixedJob::build);
        job.advance(STEP);
        Output output = output(job);
        job.cancel();

        assertDeduplicated(backend, output.passed());
        Output exact = exactRun(configuration(JobBackend.HASHMAP, 2));
        assertThat(output.events()).isNotEmpty().isEqualTo(exact.events());
        assertThat(output.windows()).isNotEmpty().isEqualTo(exact.windows());
    }
}
