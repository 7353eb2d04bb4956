/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import java.time.Duration;
import java.util.function.BiConsumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code ROW_NUMBER() OVER (PARTITION BY id ORDER BY PROCTIME()) = 1} and {@code SELECT DISTINCT}
 * through failures.
 */
class SqlDedupIT extends JobFixture {
    private static final int STEP = 3000;

    private enum Query {
        BY_NUMBER(SqlDedupJob::byNumber),
        BY_TEXT_AND_NUMBER(SqlDedupJob::byTextAndNumber),
        BY_ROW_TIME(SqlDedupJob::byRowTime),
        DISTINCT(SqlDedupJob::distinct);

        private final BiConsumer<StreamExecutionEnvironment, String> pipeline;

        Query(BiConsumer<StreamExecutionEnvironment, String> pipeline) {
            this.pipeline = pipeline;
        }
    }

    private enum TimeToLive {
        NONE,
        /** Far longer than the test takes: nothing expires. */
        HOURS
    }

    private enum Batching {
        SINGLE,
        MINI_BATCH
    }

    private Configuration configuration(
            JobBackend backend, int parallelism, TimeToLive timeToLive, Batching batching) {
        Configuration configuration = configuration(backend, parallelism);
        if (timeToLive == TimeToLive.HOURS) {
            configuration.set(ExecutionConfigOptions.IDLE_STATE_RETENTION, Duration.ofHours(5));
        }
        if (batching == Batching.MINI_BATCH) {
            configuration.set(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ENABLED, true);
            configuration.set(
                    ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ALLOW_LATENCY,
                    Duration.ofMillis(5));
            configuration.set(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE, 100L);
        }
        return configuration;
    }

    @ParameterizedTest
    @CsvSource({
        "CASCADE, BY_NUMBER, NONE, SINGLE",
        "CASCADE, BY_TEXT_AND_NUMBER, HOURS, SINGLE",
        "CASCADE, BY_TEXT_AND_NUMBER, NONE, MINI_BATCH",
        "CASCADE_SMALL, BY_TEXT_AND_NUMBER, NONE, SINGLE",
        "CASCADE_SMALL, BY_NUMBER, HOURS, MINI_BATCH",
        "ROCKSDB, BY_NUMBER, HOURS, MINI_BATCH",
        "CASCADE, BY_ROW_TIME, NONE, SINGLE",
        "CASCADE, BY_ROW_TIME, NONE, MINI_BATCH",
        "CASCADE_SMALL, BY_ROW_TIME, HOURS, SINGLE",
        "CASCADE, DISTINCT, NONE, SINGLE",
        "CASCADE_SMALL, DISTINCT, NONE, MINI_BATCH",
        "ROCKSDB, DISTINCT, NONE, SINGLE",
        "ROCKSDB, BY_ROW_TIME, NONE, SINGLE",
        "ROCKSDB, BY_ROW_TIME, HOURS, SINGLE"
    })
    void noDuplicatePassesThroughFailuresAndRescales(
            JobBackend backend, Query query, TimeToLive timeToLive, Batching batching)
            throws Exception {
        RunningJob job =
                RunningJob.start(
                        cluster(),
                        run(),
                        configuration(backend, SPREAD, timeToLive, batching),
                        query.pipeline);
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
                        from(
                                configuration(backend, 2, timeToLive, batching),
                                savepoint,
                                RecoveryClaimMode.NO_CLAIM),
                        query.pipeline);
        job.advance(STEP);
        String checkpoint = job.checkpoint();
        job.advance(STEP);
        job.cancel();

        job =
                RunningJob.start(
                        cluster(),
                        run(),
                        from(
                                configuration(backend, 4, timeToLive, batching),
                                checkpoint,
                                RecoveryClaimMode.CLAIM),
                        query.pipeline);
        job.failWithin(STEP, 500);
        job.advance(STEP);
        job.checkpoint();
        assertDeduplicated(backend, job.ledger(DedupJob.PASSED, Long.class));
        job.cancel();
    }
}
