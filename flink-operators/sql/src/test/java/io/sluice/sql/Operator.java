/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import io.sluice.flink.testkit.Subtasks;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.MultipleInputStreamOperator;
import org.apache.flink.streaming.api.transformations.KeyedMultipleInputTransformation;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/** The operator that Flink makes of a call, in a harness: the test is its clock. */
final class Operator implements AutoCloseable {

    private static final int MAX_PARALLELISM = 16;

    private final Harness harness;

    private final KeySelector<RowData, RowData> keys;

    private Operator(Harness harness, KeySelector<RowData, RowData> keys) {
        this.keys = keys;
        this.harness = harness;
    }

    /**
     * Starts it.
     *
     * @param call of a function with the table {@code records}
     * @param snapshot null if it starts empty
     */
    static Operator start(String call, StateBackend backend, OperatorSubtaskState snapshot)
            throws Exception {
        return start(call, backend, snapshot, 1, 0);
    }

    /** Starts {@code DEDUPLICATE_WINDOW} with these arguments besides the table and its time. */
    static Operator startWindow(
            String arguments, StateBackend backend, OperatorSubtaskState snapshot)
            throws Exception {
        return start(
                "DEDUPLICATE_WINDOW(input => TABLE records PARTITION BY id, on_time =>"
                        + " DESCRIPTOR(`at`), "
                        + arguments
                        + ")",
                backend,
                snapshot);
    }

    static Operator start(
            String call,
            StateBackend backend,
            OperatorSubtaskState snapshot,
            int parallelism,
            int subtask)
            throws Exception {
        return start(new Configuration(), call, backend, snapshot, 0, parallelism, subtask);
    }

    /**
     * Starts it at a time of the wall clock, as far as state is concerned.
     *
     * @param session configuration of the session that plans the call
     */
    static Operator start(
            Configuration session,
            String call,
            StateBackend backend,
            OperatorSubtaskState snapshot,
            long wallClock)
            throws Exception {
        return start(session, call, backend, snapshot, wallClock, 1, 0);
    }

    private static Operator start(
            Configuration session,
            String call,
            StateBackend backend,
            OperatorSubtaskState snapshot,
            long wallClock,
            int parallelism,
            int subtask)
            throws Exception {
        KeyedMultipleInputTransformation<RowData> made = transformation(session, call);
        @SuppressWarnings("unchecked") // SQL has no others
        KeySelector<RowData, RowData> keys =
                (KeySelector<RowData, RowData>) made.getStateKeySelectors().get(0);
        Harness harness = new Harness(made, keys, parallelism, subtask);
        harness.setStateBackend(backend);
        harness.setStateTtlProcessingTime(wallClock);
        harness.setup(((InternalTypeInfo<RowData>) made.getOutputType()).toSerializer());
        if (snapshot != null) {
            harness.initializeState(
                    AbstractStreamOperatorTestHarness.repartitionOperatorState(
                            snapshot, MAX_PARALLELISM, 1, parallelism, subtask));
        }
        harness.open();
        return new Operator(harness, keys);
    }

    @SuppressWarnings("unchecked") // SQL has no others
    private static KeyedMultipleInputTransformation<RowData> transformation(
            Configuration session, String call) {
        Tables tables = Tables.with(session).withRecords(List.of(record("a", 0, "", 0)));
        Deque<Transformation<?>> open = new ArrayDeque<>();
        open.add(
                tables.tables()
                        .toChangelogStream(tables.tables().sqlQuery("SELECT * FROM " + call))
                        .getTransformation());
        while (!open.isEmpty()) {
            Transformation<?> next = open.remove();
            if (next instanceof KeyedMultipleInputTransformation<?> found) {
                return (KeyedMultipleInputTransformation<RowData>) found;
            }
            open.addAll(next.getInputs());
        }
        throw new AssertionError("no operator with keyed state in " + call);
    }

    static Row record(String id, long seq, String text, long millis) {
        Row row = Row.withNames();
        row.setField("id", id);
        row.setField("seq", seq);
        row.setField("text", text);
        row.setField("millis", millis);
        return row;
    }

    /** A record comes at a time of the wall clock, as far as state is concerned. */
    void at(long wallClock, String id, long seq, String text, long millis) throws Exception {
        at(wallClock, RowKind.INSERT, id, seq, text, millis);
    }

    /** The same as a change of some kind. */
    void at(long wallClock, RowKind kind, String id, long seq, String text, long millis)
            throws Exception {
        harness.setStateTtlProcessingTime(wallClock);
        RowData row = row(id, seq, text, millis);
        row.setRowKind(kind);
        harness.process(row);
    }

    void watermark(long time) throws Exception {
        harness.input().processWatermark(new Watermark(time));
    }

    /** Whether Flink would send a record with this key to the subtask. */
    boolean isFor(String id, int parallelism, int subtask) throws Exception {
        return KeyGroupRangeAssignment.assignKeyToParallelOperator(
                        keys.getKey(row(id, 0, "", 0)), MAX_PARALLELISM, parallelism)
                == subtask;
    }

    private static RowData row(String id, long seq, String text, long millis) {
        return GenericRowData.of(
                StringData.fromString(id),
                seq,
                StringData.fromString(text),
                millis,
                TimestampData.fromEpochMillis(millis),
                null);
    }

    /** What was put out since the last call: the kind, the key and the text. */
    List<String> output() {
        List<String> output = new ArrayList<>();
        for (Object element : harness.getOutput()) {
            if (element instanceof StreamRecord<?> record
                    && record.getValue() instanceof RowData row) {
                output.add(
                        row.getRowKind().shortString()
                                + ' '
                                + row.getString(0)
                                + ' '
                                + row.getString(2));
            }
        }
        harness.getOutput().clear();
        return output;
    }

    /** The metric {@code late}. */
    long late() {
        return count(EventTimeFunction.LATE);
    }

    /** The metric {@code duplicates}. */
    long duplicates() {
        return count(SpecializedTableFunction.DUPLICATES);
    }

    /** The metric {@code watermarkStalledMillis}. */
    long stalledMillis() {
        return (Long) ((Gauge<?>) harness.metrics.get(EventTimeFunction.STALLED)).getValue();
    }

    private long count(String name) {
        return ((Counter) harness.metrics.get(name)).getCount();
    }

    OperatorSubtaskState snapshot(long checkpoint) throws Exception {
        return harness.snapshot(checkpoint, checkpoint);
    }

    @Override
    public void close() throws IOException {
        try {
            harness.close();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /** Flink's, of one input, in an environment whose metrics can be read. */
    @SuppressWarnings("try") // closing it may be interrupted, says its type
    private static final class Harness extends AbstractStreamOperatorTestHarness<RowData> {

        private final Map<String, Metric> metrics;

        Harness(
                KeyedMultipleInputTransformation<RowData> made,
                KeySelector<RowData, RowData> keys,
                int parallelism,
                int subtask)
                throws Exception {
            this(made, keys, parallelism, subtask, new ConcurrentHashMap<>());
        }

        @SuppressWarnings("unchecked") // SQL has no others
        private Harness(
                KeyedMultipleInputTransformation<RowData> made,
                KeySelector<RowData, RowData> keys,
                int parallelism,
                int subtask,
                Map<String, Metric> metrics)
                throws Exception {
            super(
                    made.getOperatorFactory(),
                    Subtasks.environment(MAX_PARALLELISM, parallelism, subtask, metrics));
            this.metrics = metrics;
            config.setStateKeySerializer(
                    ((TypeInformation<RowData>) made.getStateKeyType())
                            .createSerializer(executionConfig.getSerializerConfig()));
            config.setStatePartitioner(0, keys);
            config.serializeAllConfigs();
        }

        @SuppressWarnings("unchecked") // SQL has no others
        private Input<RowData> input() {
            return ((MultipleInputStreamOperator<RowData>) operator).getInputs().get(0);
        }

        void process(RowData row) throws Exception {
            StreamRecord<RowData> record = new StreamRecord<>(row);
            input().setKeyContextElement(record);
            input().processElement(record);
        }
    }
}
