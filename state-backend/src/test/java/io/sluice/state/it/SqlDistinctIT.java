/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code COUNT(DISTINCT ...)} of each of many groups, through failures and rescales. */
class SqlDistinctIT extends JobFixture {
    private static final int STEP = 3000;

    private RunningJob start(Configuration configuration, String what) throws Exception {
        return RunningJob.start(
                cluster(),
                run(),
                configuration,
                (env, run) -> SqlDedupJob.countDistinct(env, run, what));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CASCADE | id",
                "CASCADE | CAST(id AS STRING)",
                "CASCADE_SMALL | id",
                "ROCKSDB | id"
            })
    void eachValueIsCountedOnce(JobBackend backend, String what) throws Exception {
        RunningJob job = start(configuration(backend, SPREAD), what);
        job.advance(STEP);
        job.checkpoint();
        job.failWithin(STEP, 500);
        job.advance(STEP);
        job.checkpoint();
        job.loseTaskManager(STEP);
        String savepoint = job.stopWithSavepoint(savepoints(), SavepointFormatType.CANONICAL);

        job = start(from(configuration(backend, 2), savepoint, RecoveryClaimMode.NO_CLAIM), what);
        job.advance(STEP);
        String checkpoint = job.checkpoint();
        job.advance(STEP);
        job.cancel();

        job = start(from(configuration(backend, 4), checkpoint, RecoveryClaimMode.CLAIM), what);
        job.failWithin(STEP, 500);
        job.advance(STEP);
        job.checkpoint();
        assertCounted(backend, job.ledger(DedupJob.PASSED, Long.class));
        job.cancel();
    }

    /** A counter goes up by one with each value, and no value is counted twice. */
    private void assertCounted(JobBackend backend, List<Long> counts) {
        Map<Long, Long> last = new HashMap<>();
        for (long count : counts) {
            long group = count / SqlDedupJob.GROUP;
            assertThat(count % SqlDedupJob.GROUP).isEqualTo(last.getOrDefault(group, 0L) + 1);
            last.merge(group, 1L, Long::sum);
        }
        Map<Long, Long> expected = new HashMap<>();
        Ids.distinct(run().gate().admitted())
                .forEach(id -> expected.merge(Math.floorMod(id, 97L), 1L, Long::sum));
        assertThat(last.keySet()).isEqualTo(expected.keySet());
        last.forEach((group, n) -> assertThat(n).isLessThanOrEqualTo(expected.get(group)));
        long all = expected.values().stream().mapToLong(Long::longValue).sum();
        double mean = all * backend.falsePositiveProbability();
        assertThat(all - counts.size())
                .as("values missed of %d", all)
                .isLessThanOrEqualTo((int) Math.ceil(mean + 5 * Math.sqrt(mean)));
    }
}
