/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.job.dedup.DedupJob;
import io.sluice.job.dedup.DedupOptions;
import io.sluice.job.flows.FlowsJob;
import io.sluice.job.flows.FlowsOptions;
import io.sluice.job.reconcile.ReconcileJob;
import io.sluice.job.reconcile.ReconcileOptions;
import io.sluice.kafka.commit.JobSink;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.junit.jupiter.api.Test;

/** No job has a sink of the connector as it is: one could take a TaskManager down. */
class JobSinkTest {
    private static final String BROKER = "--bootstrap-servers=here:9092";

    private static List<Object> sinks(Consumer<StreamExecutionEnvironment> job) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        job.accept(env);
        return env.getTransformations().stream()
                .filter(SinkTransformation.class::isInstance)
                .map(sink -> (Object) ((SinkTransformation<?, ?>) sink).getSink())
                .toList();
    }

    @Test
    void ofDedup() {
        assertThat(
                        sinks(
                                env ->
                                        DedupJob.define(
                                                env,
                                                DedupOptions.parse(
                                                        BROKER,
                                                        "--input-topic=a",
                                                        "--within=1h",
                                                        "--duplicates-topic=b"))))
                .hasSizeGreaterThan(1)
                .allMatch(JobSink.class::isInstance);
    }

    @Test
    void ofCounters() {
        assertThat(sinks(env -> CountersJob.define(env, CountersOptions.parse(List.of(BROKER)))))
                .hasSizeGreaterThan(1)
                .allMatch(JobSink.class::isInstance);
    }

    @Test
    void ofFlows() {
        assertThat(sinks(env -> FlowsJob.define(env, FlowsOptions.parse(BROKER))))
                .hasSizeGreaterThan(1)
                .allMatch(JobSink.class::isInstance);
    }

    @Test
    void ofReconcile() {
        assertThat(
                        sinks(
                                env ->
                                        ReconcileJob.define(
                                                env,
                                                ReconcileOptions.parse(
                                                        List.of(
                                                                BROKER,
                                                                "--replica=a",
                                                                "--peer=b")))))
                .hasSizeGreaterThan(3)
                .allMatch(JobSink.class::isInstance);
    }
}
