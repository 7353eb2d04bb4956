/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.PlannedParallelism;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.transformations.WithBoundedness;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the user what {@link SizingCheck} finds: when a job is built and when it starts. */
@Internal
public final class SizingWarning {

    /**
     * In the operator's group {@value DeduplicateMetrics#GROUP}: {@link SizingCheck#bytesNeeded}.
     */
    public static final String EXPECTED_BYTES = "expectedBytes";

    private static final Logger LOG = LoggerFactory.getLogger(SizingWarning.class);

    private SizingWarning() {}

    /**
     * Logs the warning for the parallelism of the job: the best guess when the job is built. The
     * operator may get another one, so {@link #atStart} warns again. If the job may run in BATCH
     * execution, which needs no filters, only {@link #atStart} warns.
     *
     * @param uid of the operator
     */
    public static void atConstruction(WindowSettings settings, String uid, DataStream<?> input) {
        if (mayBeBatch(input)) {
            return;
        }
        PlannedParallelism.of(input.getExecutionEnvironment())
                .flatMap(
                        planned ->
                                new SizingCheck(settings, planned.subtasks(), planned.keyGroups())
                                        .warning(planned.describe(uid)))
                .ifPresent(LOG::warn);
    }

    private static boolean mayBeBatch(DataStream<?> input) {
        return switch (input.getExecutionEnvironment()
                .getConfiguration()
                .get(ExecutionOptions.RUNTIME_MODE)) {
            case STREAMING -> false;
            case BATCH -> true;
            // Another source of the job may still be unbounded.
            case AUTOMATIC ->
                    input.getTransformation().getTransitivePredecessors().stream()
                            .noneMatch(SizingWarning::isUnbounded);
        };
    }

    private static boolean isUnbounded(Transformation<?> transformation) {
        return transformation instanceof WithBoundedness source
                && source.getBoundedness() != Boundedness.BOUNDED;
    }

    /**
     * Logs the warning, once for all subtasks, and shows the need as a metric.
     *
     * @param operator how messages name the operator
     */
    static void atStart(
            WindowSettings settings, String operator, TaskInfo task, MetricGroup group) {
        SizingCheck check =
                new SizingCheck(
                        settings,
                        task.getNumberOfParallelSubtasks(),
                        task.getMaxNumberOfParallelSubtasks());
        long needed = check.bytesNeeded();
        group.addGroup(DeduplicateMetrics.GROUP).gauge(EXPECTED_BYTES, (Gauge<Long>) () -> needed);
        if (task.getIndexOfThisSubtask() == 0) {
            check.warning(operator).ifPresent(LOG::warn);
        }
    }
}
