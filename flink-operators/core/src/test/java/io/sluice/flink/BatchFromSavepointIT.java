/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.dedup.Keep;
import java.time.Duration;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job in BATCH execution that should start from a savepoint, which Flink does not read. */
class BatchFromSavepointIT {

    /** Never read, so it need not exist. */
    private static final String SAVEPOINT = "file:///no/such/savepoint-17";

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static DataStream<Long> batch(Configuration configuration) {
        configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, SAVEPOINT);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setRuntimeMode(RuntimeExecutionMode.BATCH);
        env.setParallelism(1);
        return env.fromSequence(0, 9);
    }

    private static DataStream<Long> deduplicated(DataStream<Long> ids) {
        return Deduplicate.by((Long n) -> n)
                .uid("once")
                .within(Duration.ofHours(1))
                .timeDomain(TimeDomain.PROCESSING)
                .apply(ids);
    }

    private static void run(DataStream<?> stream) throws Exception {
        stream.sinkTo(new DiscardingSink<>());
        stream.getExecutionEnvironment().execute();
    }

    private static void assertRefuses(String uid, DataStream<?> stream) {
        assertThatThrownBy(() -> run(stream))
                .rootCause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        uid,
                        SAVEPOINT,
                        StateRecoveryOptions.SAVEPOINT_PATH.key(),
                        "BATCH",
                        ExecutionOptions.RUNTIME_MODE.key());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSavepointIsRefusedInBatchExecution(boolean batchStateBackend) {
        Configuration configuration = new Configuration();
        configuration.set(ExecutionOptions.USE_BATCH_STATE_BACKEND, batchStateBackend);
        assertRefuses("once", deduplicated(batch(configuration)));
    }

    @Test
    void aSavepointWithLastRecordsIsRefusedInBatchExecution() {
        assertRefuses(
                "once",
                Deduplicate.by((Long n) -> n)
                        .uid("once")
                        .within(Duration.ofHours(1))
                        .timeDomain(TimeDomain.PROCESSING)
                        .keep(Keep.LAST)
                        .apply(batch(new Configuration())));
    }

    @Test
    void aSavepointOfCountersIsRefusedInBatchExecution() {
        assertRefuses(
                "counts",
                IdempotentCounters.of((Long n) -> n % 2)
                        .operation((Long n) -> n)
                        .uid("counts")
                        .within(Duration.ofHours(1))
                        .timeDomain(TimeDomain.PROCESSING)
                        .apply(batch(new Configuration())));
    }

    @Test
    void withTheSchedulerOfStreamsFlinkRefusesItByItself() {
        Configuration configuration = new Configuration();
        configuration.set(JobManagerOptions.SCHEDULER, JobManagerOptions.SchedulerType.Default);
        assertThatThrownBy(() -> run(deduplicated(batch(configuration))))
                .rootCause()
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("Checkpoints are not supported");
    }
}
