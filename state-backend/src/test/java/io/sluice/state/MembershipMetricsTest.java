/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of the metrics, and that they say what happens. */
class MembershipMetricsTest {

    private static final long KEYS = 20_000;

    private static final Path DOCUMENT = Path.of("../docs/operations.md");
    private static final Path DASHBOARD =
            Path.of("../docker/grafana/dashboards/sluice-cascade.json");

    /** As Flink's reporter for Prometheus writes them; the state's name is a label there. */
    private static final Pattern IN_QUERY =
            Pattern.compile("flink_taskmanager_job_task_operator_(cascade(?:_state)?)_([a-zA-Z]+)");

    @TempDir Path directory;

    private final Map<String, Gauge<?>> gauges = new TreeMap<>();
    private final SharedStateRegistry registry = new SharedStateRegistryImpl();
    private long checkpoints;

    @Test
    void everyMetricIsDocumentedUnderItsName() throws Exception {
        try (Subtask<Long> task = start()) {
            task.state(new MembershipStateDescriptor("seen"));
            assertThat(gauges)
                    .hasSizeGreaterThan(20)
                    .containsKeys("cascade.checkpointBytesNew", "cascade.state.seen.entries");
            String document = Files.readString(DOCUMENT);
            for (String name : gauges.keySet()) {
                assertThat(document)
                        .contains('`' + name.substring(name.lastIndexOf('.') + 1) + '`');
            }
        }
    }

    @Test
    void theDashboardAsksForMetricsThatExist() throws Exception {
        Set<String> asked = new TreeSet<>();
        Matcher matcher = IN_QUERY.matcher(Files.readString(DASHBOARD));
        while (matcher.find()) {
            String group = matcher.group(1).equals("cascade") ? "cascade." : "cascade.state.seen.";
            asked.add(group + matcher.group(2));
        }
        assertThat(asked).hasSizeGreaterThan(15);
        try (Subtask<Long> task = start()) {
            task.state(new MembershipStateDescriptor("seen"));
            assertThat(gauges.keySet()).containsAll(asked);
        }
    }

    @Test
    void theyMoveWithWhatAStateDoes() throws Exception {
        try (Subtask<Long> task = start()) {
            ValueState<Boolean> seen = task.state(new MembershipStateDescriptor("seen", 1e-4));
            mark(task, seen);
            checkpoint(task);
            assertThat(ofState("configuredFpp")).isEqualTo(1e-4);
            assertThat(ofState("estimatedFpp")).isBetween(1e-12, 1e-4);
            assertThat(ofState("lookups")).isEqualTo(KEYS);
            assertThat(ofState("seen")).isLessThan(KEYS * 0.01);
            assertThat(ofState("entries")).isBetween(KEYS * 0.99, (double) KEYS);
            assertThat(ofState("memoryBytes")).isPositive();
            double uploaded = value("cascade.checkpointBytesNew");
            assertThat(uploaded).isBetween(KEYS * 1.5, KEYS * 8.0);
            assertThat(value("cascade.checkpointBytesReused")).isZero();

            mark(task, seen);
            task.backend().setCurrentKey(1L);
            seen.clear();
            checkpoint(task);
            assertThat(ofState("lookups")).isEqualTo(2 * KEYS);
            assertThat(ofState("seen")).isBetween((double) KEYS, KEYS * 1.01);
            assertThat(ofState("tombstones")).isEqualTo(1);
            assertThat(ofState("files")).isPositive();
            assertThat(ofState("flushedBytes")).isPositive();
            assertThat(ofState("diskBytes")).isPositive();
            assertThat(ofState("pageHits") + ofState("pageReads")).isPositive();
            assertThat(value("cascade.checkpointBytesReused")).isEqualTo(uploaded);
            assertThat(value("cascade.checkpointBytesNew")).isBetween(1.0, uploaded / 2);
        }
    }

    private void checkpoint(Subtask<Long> task) throws Exception {
        task.checkpoint(++checkpoints, registry);
        registry.checkpointCompleted(checkpoints);
        task.backend().notifyCheckpointComplete(checkpoints);
    }

    private static void mark(Subtask<Long> task, ValueState<Boolean> seen) throws Exception {
        for (long key = 0; key < KEYS; key++) {
            task.backend().setCurrentKey(key);
            if (seen.value() == null) {
                seen.update(true);
            }
        }
    }

    private double ofState(String name) {
        return value("cascade.state.seen." + name);
    }

    private double value(String name) {
        return ((Number) gauges.get(name).getValue()).doubleValue();
    }

    private Subtask<Long> start() throws Exception {
        return new Subtask<>(
                Subtask.stateBackend("hashmap"),
                LongSerializer.INSTANCE,
                Subtask.MAX_PARALLELISM,
                directory,
                List.of(),
                TestLocalRecoveryConfig.disabled(),
                new Group(""));
    }

    /** Keeps the gauges under their full names. */
    private final class Group extends UnregisteredMetricsGroup {
        private final String prefix;

        Group(String prefix) {
            this.prefix = prefix;
        }

        @Override
        public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
            gauges.put(prefix + name, gauge);
            return gauge;
        }

        @Override
        public MetricGroup addGroup(String name) {
            return new Group(prefix + name + '.');
        }

        @Override
        public MetricGroup addGroup(String key, String value) {
            return new Group(prefix + key + '.' + value + '.');
        }
    }
}
