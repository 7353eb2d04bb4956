/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.metrics.MetricRegistry;
import org.apache.flink.runtime.metrics.groups.TaskManagerMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFinalizer;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.OutputTag;

/**
 * All subtasks of one operator, each in a harness; records go where Flink would send them. Can be
 * stopped and started again from the last snapshot, with another parallelism and another operator.
 */
@Experimental
public final class Subtasks<K, IN, OUT> implements AutoCloseable {

    private final KeySelector<IN, K> key;
    private final TypeInformation<K> keyType;
    private final Supplier<StateBackend> backend;

    /** Null: Flink's. */
    @Nullable private StateInitializers initializers;

    private final SharedStateRegistry shared = new SharedStateRegistryImpl();

    private final List<KeyedOneInputStreamOperatorTestHarness<K, IN, OUT>> harnesses =
            new ArrayList<>();

    private final List<MockEnvironment> environments = new ArrayList<>();
    private final List<Map<String, Metric>> metrics = new ArrayList<>();

    private int maxParallelism;
    private OperatorSubtaskState snapshot;
    private int snapshotParallelism;
    private long checkpoints;
    private long now;

    /**
     * None runs until {@link #start}.
     *
     * @param backend makes the state backend of a subtask
     */
    public Subtasks(
            KeySelector<IN, K> key,
            TypeInformation<K> keyType,
            int maxParallelism,
            Supplier<StateBackend> backend) {
        this.key = key;
        this.keyType = keyType;
        this.maxParallelism = maxParallelism;
        this.backend = backend;
    }

    /** A snapshot stays in memory; Flink's default would be 5 MiB. */
    private static final int MAX_STATE_BYTES = 64 << 20;

    /** Stops what runs, as a failure does, and starts from the last snapshot if there is one. */
    public void start(int parallelism, Supplier<? extends OneInputStreamOperator<IN, OUT>> operator)
            throws Exception {
        start(parallelism, maxParallelism, operator);
    }

    /** Makes the state of an operator. */
    @FunctionalInterface
    public interface StateInitializers {

        /** Returns what makes the state of {@code operator}, which was set up. */
        StreamTaskStateInitializer initializer(
                Object operator, Environment environment, StateBackend backend);
    }

    /** Has the state of operators that are started from now on made otherwise than by Flink. */
    public void initializers(StateInitializers other) {
        initializers = other;
    }

    /** As {@link #start(int, Supplier)}, with another maximum parallelism from now on. */
    public void start(
            int parallelism,
            int newMaxParallelism,
            Supplier<? extends OneInputStreamOperator<IN, OUT>> operator)
            throws Exception {
        close();
        maxParallelism = newMaxParallelism;
        for (int subtask = 0; subtask < parallelism; subtask++) {
            Map<String, Metric> registered = new HashMap<>();
            metrics.add(registered);
            MockEnvironment environment =
                    environment(newMaxParallelism, parallelism, subtask, registered);
            environments.add(environment);
            Harness harness = new Harness(operator.get(), environment);
            harness.setStateBackend(backend.get());
            harness.setCheckpointStorage(new JobManagerCheckpointStorage(MAX_STATE_BYTES));
            harness.getProcessingTimeService().setCurrentTime(now);
            harness.setup();
            if (initializers != null) {
                harness.use(initializers);
            }
            try {
                if (snapshot != null) {
                    harness.initializeState(
                            AbstractStreamOperatorTestHarness.repartitionOperatorState(
                                    snapshot,
                                    newMaxParallelism,
                                    snapshotParallelism,
                                    parallelism,
                                    subtask));
                }
                harness.open();
            } catch (Exception e) {
                // Not through the harness, which would finish the operator first.
                harness.getOperator().close();
                throw e;
            }
            harnesses.add(harness);
        }
    }

    /**
     * What a subtask runs in.
     *
     * @param registered gets its metrics, by name
     */
    public static MockEnvironment environment(
            int maxParallelism, int parallelism, int subtask, Map<String, Metric> registered) {
        MetricRegistry registry =
                TestingMetricRegistry.builder()
                        .setRegisterConsumer((metric, name, group) -> registered.put(name, metric))
                        .build();
        return new MockEnvironmentBuilder()
                .setTaskName("operator under test")
                .setManagedMemorySize(32 << 20)
                .setMaxParallelism(maxParallelism)
                .setParallelism(parallelism)
                .setSubtaskIndex(subtask)
                .setMetricGroup(
                        TaskManagerMetricGroup.createTaskManagerMetricGroup(
                                        registry, "localhost", ResourceID.generate())
                                .addJob(new JobID(), "job")
                                .addTask(ExecutionAttemptID.randomId(), "task"))
                .build();
    }

    /** Sum of a counter over all subtasks. */
    public long counter(String name) {
        return metrics.stream().mapToLong(all -> ((Counter) all.get(name)).getCount()).sum();
    }

    /** A gauge of one subtask, after its next refresh. */
    public <V> V gauge(int subtask, String name, Class<V> type) throws Exception {
        processingTime(now + 5000);
        return type.cast(((Gauge<?>) metrics.get(subtask).get(name)).getValue());
    }

    /** Sum of a gauge over all subtasks, after its next refresh. */
    public long gaugeSum(String name) throws Exception {
        long sum = 0;
        for (int subtask = 0; subtask < harnesses.size(); subtask++) {
            sum += gauge(subtask, name, Long.class);
        }
        return sum;
    }

    /** Processes one record, and returns what came out of the main output. */
    public List<OUT> process(IN value, long timestamp) throws Exception {
        return process(new StreamRecord<>(value, timestamp));
    }

    /** The subtask that Flink would send {@code value} to. */
    public int subtaskOf(IN value) throws Exception {
        return KeyGroupRangeAssignment.assignKeyToParallelOperator(
                key.getKey(value), maxParallelism, harnesses.size());
    }

    /** As {@link #process(Object, long)}; the record may have no timestamp. */
    public List<OUT> process(StreamRecord<IN> record) throws Exception {
        KeyedOneInputStreamOperatorTestHarness<K, IN, OUT> harness =
                harnesses.get(subtaskOf(record.getValue()));
        harness.getOutput().clear();
        harness.processElement(record);
        return harness.extractOutputValues();
    }

    /** Advances the watermark of all subtasks. */
    public void watermark(long timestamp) throws Exception {
        for (var harness : harnesses) {
            harness.processWatermark(timestamp);
        }
    }

    /** Advances the watermark, and returns what came out of the main output of all subtasks. */
    public List<OUT> advance(long watermark) throws Exception {
        List<OUT> emitted = new ArrayList<>();
        for (var harness : harnesses) {
            harness.getOutput().clear();
            harness.processWatermark(watermark);
            emitted.addAll(harness.extractOutputValues());
        }
        return emitted;
    }

    /** Advances processing time, firing timers, even for subtasks that are started later. */
    public void processingTime(long timestamp) throws Exception {
        now = timestamp;
        for (var harness : harnesses) {
            harness.setProcessingTime(timestamp);
        }
    }

    /** Advances processing time while nothing runs. */
    public void downUntil(long timestamp) throws Exception {
        close();
        now = timestamp;
    }

    /** Takes a checkpoint; returns what was emitted before its barrier. */
    public List<OUT> snapshot() throws Exception {
        List<OUT> emitted = new ArrayList<>();
        OperatorSubtaskState[] states = new OperatorSubtaskState[harnesses.size()];
        checkpoints++;
        for (int i = 0; i < states.length; i++) {
            var harness = harnesses.get(i);
            harness.getOutput().clear();
            harness.prepareSnapshotPreBarrier(checkpoints);
            emitted.addAll(harness.extractOutputValues());
            states[i] = harness.snapshot(checkpoints, checkpoints);
        }
        complete(states);
        return emitted;
    }

    /** The synchronous part of a checkpoint of all subtasks; the futures are the rest. */
    public List<OperatorSnapshotFutures> beginSnapshot(CheckpointStreamFactory factory)
            throws Exception {
        checkpoints++;
        List<OperatorSnapshotFutures> futures = new ArrayList<>();
        for (var harness : harnesses) {
            harness.prepareSnapshotPreBarrier(checkpoints);
            futures.add(
                    harness.getOperator()
                            .snapshotState(
                                    checkpoints,
                                    checkpoints,
                                    CheckpointOptions.forCheckpointWithDefaultLocation(),
                                    factory));
        }
        return futures;
    }

    /** Runs the asynchronous part of a checkpoint, and makes it the last snapshot. */
    public void completeSnapshot(List<OperatorSnapshotFutures> futures) throws Exception {
        OperatorSubtaskState[] states = new OperatorSubtaskState[futures.size()];
        for (int i = 0; i < states.length; i++) {
            states[i] = OperatorSnapshotFinalizer.create(futures.get(i)).getJobManagerOwnedState();
        }
        complete(states);
    }

    /** What an incremental snapshot has in common with earlier ones is put in its place. */
    private void complete(OperatorSubtaskState[] states) throws Exception {
        for (OperatorSubtaskState state : states) {
            state.registerSharedStates(shared, checkpoints);
        }
        snapshot = AbstractStreamOperatorTestHarness.repackageState(states);
        snapshotParallelism = states.length;
    }

    /** Ends the input, as a bounded one or a drain does; returns what that made them emit. */
    public List<OUT> endInput() throws Exception {
        List<OUT> emitted = new ArrayList<>();
        for (var harness : harnesses) {
            harness.getOutput().clear();
            harness.endInput();
            harness.getOneInputOperator().finish();
            emitted.addAll(harness.extractOutputValues());
        }
        return emitted;
    }

    /** Everything that came out of a side output since the subtasks were started. */
    public <X> List<X> sideOutput(OutputTag<X> tag) {
        List<X> values = new ArrayList<>();
        for (var harness : harnesses) {
            var records = harness.getSideOutput(tag);
            if (records != null) {
                records.forEach(record -> values.add(record.getValue()));
            }
        }
        return values;
    }

    /** The harness of each subtask, for what this class does not offer. */
    public List<KeyedOneInputStreamOperatorTestHarness<K, IN, OUT>> harnesses() {
        return harnesses;
    }

    /** The last snapshot. */
    public OperatorSubtaskState state() {
        return snapshot;
    }

    /** Replaces the last snapshot, for example by a damaged one. */
    public void setState(OperatorSubtaskState state) {
        snapshot = state;
    }

    /** Like {@link #setState}, with the state of other subtasks. */
    public void setState(OperatorSubtaskState state, int parallelism) {
        snapshot = state;
        snapshotParallelism = parallelism;
    }

    /**
     * Stops all subtasks, even if one fails; what is not in the last snapshot is lost.
     *
     * @throws IllegalStateException if one of them fails meanwhile
     */
    @Override
    public void close() {
        try {
            // The environments last: the harnesses close in them.
            List<AutoCloseable> all = new ArrayList<>(harnesses);
            all.addAll(environments);
            IOUtils.closeAll(all);
        } catch (Exception e) {
            throw new IllegalStateException("a subtask failed while it was closed", e);
        } finally {
            harnesses.clear();
            environments.clear();
            metrics.clear();
        }
    }

    /** Makes state as it was asked for. */
    @SuppressWarnings("try") // its close() is Flink's
    private final class Harness extends KeyedOneInputStreamOperatorTestHarness<K, IN, OUT> {

        Harness(OneInputStreamOperator<IN, OUT> operator, MockEnvironment environment)
                throws Exception {
            super(operator, key, keyType, environment);
        }

        /** After the setup, which makes Flink's. */
        void use(StateInitializers others) {
            streamTaskStateInitializer =
                    others.initializer(operator, getEnvironment(), stateBackend);
            mockTask.setStreamTaskStateInitializer(streamTaskStateInitializer);
        }
    }
}
