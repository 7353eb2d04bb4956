/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.MeasuredError;
import io.sluice.state.contract.Gauges;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the names of the metrics, and that they show what happens. */
class MembershipMetricsTest {

    private static final long KEYS = 20_000;

    private static final Path DOCUMENT = Path.of("../docs/operations.md");
    private static final Path DASHBOARD =
            Path.of("../docker/grafana/dashboards/sluice-cascade.json");

    /** Names as Flink's Prometheus reporter writes them; the state's name is a label there. */
    private static final Pattern IN_QUERY =
            Pattern.compile("flink_taskmanager_job_task_operator_(cascade(?:_state)?)_([a-zA-Z]+)");

    @TempDir Path directory;

    private final Gauges gauges = new Gauges();
    private final SharedStateRegistry registry = new SharedStateRegistryImpl();
    private long checkpoints;

    @Test
    void everyMetricIsDocumentedUnderItsName() throws Exception {
        try (Subtask<Long> task = start()) {
            task.state(new MembershipStateDescriptor("seen"));
            assertThat(gauges.names())
                    .hasSizeGreaterThan(20)
                    .contains("cascade.checkpointBytesNew", "cascade.state.seen.entries");
            String document = Files.readString(DOCUMENT);
            for (String name : gauges.names()) {
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
            assertThat(gauges.names()).containsAll(asked);
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

    @Test
    void theMeasuredErrorHasItsIntervalAndTheNumbersBehindIt() throws Exception {
        Configuration configuration =
                Subtask.configuration("hashmap")
                        .set(CascadeBackendOptions.CAPACITY, KEYS)
                        .set(CascadeBackendOptions.SAMPLE_ONE_IN, 8);
        try (Subtask<Long> task = start(configuration)) {
            ValueState<Boolean> seen = task.state(new MembershipStateDescriptor("seen", 0.05));
            assertThat(ofState("measuredFpp")).isNaN();
            assertThat(ofState("measuredFppUpper")).isEqualTo(1);
            mark(task, seen);
            checkpoint(task);
            MeasuredError error =
                    new MeasuredError(
                            (long) ofState("watchedFirsts"), (long) ofState("watchedDropped"));
            assertThat((double) error.firsts()).isBetween(KEYS * 0.11, KEYS * 0.14);
            assertThat(error.dropped()).isPositive();
            assertThat(ofState("measuredFpp")).isEqualTo(error.rate());
            assertThat(ofState("measuredFppLower")).isEqualTo(error.lower(MeasuredError.Z_95));
            assertThat(ofState("measuredFppUpper")).isEqualTo(error.upper(MeasuredError.Z_95));
            assertThat(ofState("watchedOneIn")).isEqualTo(8);
        }
    }

    @Test
    void withoutMemoryNothingIsWatchedAndAMetricSaysSo() throws Exception {
        Configuration configuration =
                Subtask.configuration("hashmap")
                        .set(CascadeBackendOptions.USE_MANAGED_MEMORY, false)
                        .set(CascadeBackendOptions.FIXED_MEMORY, MemorySize.ofMebiBytes(1));
        try (Subtask<Long> task = start(configuration)) {
            ValueState<Boolean> seen = task.state(new MembershipStateDescriptor("seen", 0.05));
            assertThat(ofState("watchedOneIn")).isEqualTo(64);
            task.state(new MembershipStateDescriptor("other"));
            assertThat(value("cascade.state.other.watchedOneIn")).isZero();
            mark(task, seen);
            checkpoint(task);
            assertThat(ofState("watchedFirsts")).isPositive();
            assertThat(value("cascade.state.other.measuredFpp")).isNaN();
        }
    }

    @Test
    void theyAreOfTheFilterThatTookAnothersPlace() throws Exception {
        KeyedStateHandle handle;
        try (Subtask<Long> task = start()) {
            mark(task, task.state(new MembershipStateDescriptor("seen")));
            handle = checkpoint(task);
        }
        Gauges restored = new Gauges();
        try (Subtask<Long> task =
                start(Subtask.configuration("hashmap"), List.of(handle), restored)) {
            checkpoint(task);
            mark(task, task.state(new MembershipStateDescriptor("seen", 1e-4)));
            checkpoint(task);
            assertThat(restored.value("cascade.state.seen.configuredFpp")).isEqualTo(1e-4);
            assertThat(restored.value("cascade.state.seen.lookups")).isEqualTo(KEYS);
        }
    }

    private KeyedStateHandle checkpoint(Subtask<Long> task) throws Exception {
        KeyedStateHandle handle = task.checkpoint(++checkpoints, registry);
        registry.checkpointCompleted(checkpoints);
        task.backend().notifyCheckpointComplete(checkpoints);
        return handle;
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
        return gauges.value(name);
    }

    private Subtask<Long> start() throws Exception {
        return start(Subtask.configuration("hashmap"));
    }

    private Subtask<Long> start(Configuration configuration) throws Exception {
        return start(configuration, List.of(), gauges);
    }

    private Subtask<Long> start(
            Configuration configuration, List<KeyedStateHandle> handles, Gauges metrics)
            throws Exception {
        return new Subtask<>(
                new CascadeStateBackend().configure(configuration, getClass().getClassLoader()),
                LongSerializer.INSTANCE,
                Subtask.MAX_PARALLELISM,
                directory,
                handles,
                TestLocalRecoveryConfig.disabled(),
                metrics);
    }
}
