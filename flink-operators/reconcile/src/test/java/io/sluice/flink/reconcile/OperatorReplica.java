/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.reconcile.element.ByGroup;
import io.sluice.flink.reconcile.element.ElementIds;
import io.sluice.flink.reconcile.element.GroupKeys;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.runtime.IdHasher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;

/**
 * All subtasks of a replica's operator in harnesses. Counts output only when the checkpoint after
 * it completes, like an exactly-once sink.
 */
final class OperatorReplica {

    static final String NO_ID = "no id";

    private static final KeySelector<String, String> ID =
            record ->
                    record.equals(NO_ID)
                            ? null
                            : record.contains("*")
                                    ? record.substring(0, record.indexOf('*'))
                                    : record;

    /** A record "id*n" stands for n copies of itself, any other for one. */
    private static final Multiplicity<String> MULTIPLICITY =
            record -> {
                int times = record.indexOf('*');
                return times < 0 ? 1 : Long.parseLong(record.substring(times + 1));
            };

    private ReconcileSettings settings;
    private Multiplicity<String> multiplicity = MULTIPLICITY;
    private final Backends backend;
    private final ElementIds<String> ids =
            new ElementIds<>(
                    IdHasher.of(Types.STRING, new SerializerConfigImpl()),
                    StringSerializer.INSTANCE);
    private final ReconcileOutputs.Tags<String, String> tags =
            ReconcileOutputs.tags(Types.STRING, Types.STRING, true);
    private ByGroup<String, String> byGroup;
    private Gate gate;
    private final List<
                    KeyedTwoInputStreamOperatorTestHarness<
                            Integer, String, Tuple2<Integer, byte[]>, Repair<String>>>
            harnesses = new ArrayList<>();

    /** By harness: the forwarded watermark, and the number of records checked against it. */
    private final List<Times> times = new ArrayList<>();

    private final List<WindowReport> reports = new ArrayList<>();
    private final Map<Long, Map<String, Long>> elements = new TreeMap<>();
    private final Map<Long, Map<String, Long>> repairs = new TreeMap<>();
    private OperatorSubtaskState state;
    private int stateParallelism;
    private long checkpoint;
    private long now;
    private long wallAhead;

    OperatorReplica(ReconcileSettings settings, Backends backend) {
        this.settings = settings;
        this.backend = backend;
        byGroup = new ByGroup<>(ID, ids, settings.setup());
        gate = new Gate(settings);
    }

    private static final class Times {
        private long forwarded = Long.MIN_VALUE;
        private int outputs;
        private int reports;
        private int elements;
    }

    /** Each id counts once, from the next start on. */
    void distinct() {
        multiplicity = null;
    }

    /** Like {@link #start(int)}, with another setup. */
    void start(int parallelism, ReconcileSettings newSettings) throws Exception {
        close();
        settings = newSettings;
        byGroup = new ByGroup<>(ID, ids, settings.setup());
        gate = new Gate(settings);
        start(parallelism);
    }

    /** Stops what runs and loses the state. */
    void startWithoutState(int parallelism) throws Exception {
        close();
        state = null;
        start(parallelism);
    }

    /** Stops what runs, as a failure does, and starts from the last completed checkpoint. */
    void start(int parallelism) throws Exception {
        close();
        int groups = settings.setup().groups();
        for (int subtask = 0; subtask < parallelism; subtask++) {
            var operator = new ReconcileOperator<>(settings, ID, ids, multiplicity, tags);
            operator.steadyClock(() -> now);
            var harness =
                    new KeyedTwoInputStreamOperatorTestHarness<>(
                            operator,
                            byGroup,
                            message -> message.f0,
                            Types.INT,
                            groups,
                            parallelism,
                            subtask);
            harness.setStateBackend(backend.get());
            harness.setProcessingTime(now + wallAhead);
            harness.setup();
            if (state != null) {
                harness.initializeState(
                        AbstractStreamOperatorTestHarness.repartitionOperatorState(
                                state, groups, stateParallelism, parallelism, subtask));
            }
            harness.open();
            harnesses.add(harness);
            times.add(new Times());
        }
    }

    private KeyedTwoInputStreamOperatorTestHarness<
                    Integer, String, Tuple2<Integer, byte[]>, Repair<String>>
            of(Integer key) {
        return harnesses.get(
                KeyGroupRangeAssignment.assignKeyToParallelOperator(
                        key, settings.setup().groups(), harnesses.size()));
    }

    void record(String id, long timestamp) throws Exception {
        of(byGroup.getKey(id)).processElement1(new StreamRecord<>(id, timestamp));
        checkTimes();
    }

    void watermark(long timestamp) throws Exception {
        for (var harness : harnesses) {
            harness.processWatermark1(new Watermark(timestamp));
        }
        checkTimes();
    }

    /** No more messages come. */
    void endMessages() throws Exception {
        for (var harness : harnesses) {
            harness.processWatermark2(Watermark.MAX_WATERMARK);
        }
        checkTimes();
    }

    /** Both inputs end, a savepoint is taken, and completes. */
    void drain() throws Exception {
        watermark(Long.MAX_VALUE);
        endMessages();
        for (var harness : harnesses) {
            harness.getOperator().finish();
        }
        assertThat(checkpoint()).as("there is nobody to publish to").isEmpty();
    }

    /** Nothing is emitted behind a watermark that was already forwarded. */
    private void checkTimes() {
        for (int i = 0; i < harnesses.size(); i++) {
            Times checked = times.get(i);
            long before = checked.forwarded;
            checked.reports = checkTimes(side(i, tags.reports()), checked.reports, before);
            checked.elements = checkTimes(side(i, tags.elements()), checked.elements, before);
            List<Object> output = new ArrayList<>(harnesses.get(i).getOutput());
            for (Object next : output.subList(checked.outputs, output.size())) {
                if (next instanceof Watermark mark) {
                    checked.forwarded = Math.max(checked.forwarded, mark.getTimestamp());
                } else if (next instanceof StreamRecord<?> record) {
                    assertThat(record.getTimestamp()).isGreaterThan(checked.forwarded);
                }
            }
            checked.outputs = output.size();
        }
    }

    private <E> List<StreamRecord<E>> side(int index, OutputTag<E> tag) {
        var side = harnesses.get(index).getSideOutput(tag);
        return side == null ? List.of() : new ArrayList<>(side);
    }

    private static <E> int checkTimes(List<StreamRecord<E>> all, int from, long before) {
        for (StreamRecord<E> record : all.subList(from, all.size())) {
            assertThat(record.getTimestamp()).isGreaterThan(before);
        }
        return all.size();
    }

    /** Earliest time of the emitted repairs that are not in a checkpoint. */
    long earliestOutput() {
        return harnesses.stream()
                .flatMap(harness -> harness.getOutput().stream())
                .filter(next -> next instanceof StreamRecord)
                .mapToLong(next -> ((StreamRecord<?>) next).getTimestamp())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** The largest watermark that every subtask has forwarded. */
    long forwarded() {
        return times.stream().mapToLong(checked -> checked.forwarded).min().orElseThrow();
    }

    /** What the gate accepts goes to the key group that it is about. */
    void receive(List<byte[]> messages) throws Exception {
        Integer[] keys = GroupKeys.of(settings.setup().groups());
        for (byte[] bytes : messages) {
            Message message = gate.admit(bytes, (why, text) -> {});
            if (message != null) {
                Integer key = keys[message.head().group()];
                of(key).processElement2(new StreamRecord<>(Tuple2.of(key, bytes)));
            }
        }
        checkTimes();
    }

    void pass(long millis) throws Exception {
        now += millis;
        for (var harness : harnesses) {
            harness.setProcessingTime(now + wallAhead);
        }
    }

    /** The wall clock is ahead from now on, or right again; time goes on as before. */
    void stepWallClock(long millis) throws Exception {
        wallAhead = millis;
        pass(0);
    }

    /** Takes a checkpoint that does not complete. */
    void failCheckpoint() throws Exception {
        checkpoint++;
        for (var harness : harnesses) {
            harness.prepareSnapshotPreBarrier(checkpoint);
            harness.snapshot(checkpoint, checkpoint);
        }
    }

    /** Takes a checkpoint that completes; returns the messages that are published then. */
    List<byte[]> checkpoint() throws Exception {
        checkpoint++;
        OperatorSubtaskState[] states = new OperatorSubtaskState[harnesses.size()];
        for (int i = 0; i < states.length; i++) {
            harnesses.get(i).prepareSnapshotPreBarrier(checkpoint);
            checkTimes();
            collect(harnesses.get(i));
            times.get(i).outputs = 0;
            times.get(i).reports = 0;
            times.get(i).elements = 0;
            states[i] = harnesses.get(i).snapshot(checkpoint, checkpoint);
        }
        state = AbstractStreamOperatorTestHarness.repackageState(states);
        stateParallelism = states.length;
        List<byte[]> published = new ArrayList<>();
        for (var harness : harnesses) {
            harness.notifyOfCompletedCheckpoint(checkpoint);
            var messages = harness.getSideOutput(tags.messages());
            if (messages != null) {
                messages.forEach(message -> published.add(message.getValue().bytes()));
                messages.clear();
            }
        }
        return published;
    }

    private void collect(
            KeyedTwoInputStreamOperatorTestHarness<
                            Integer, String, Tuple2<Integer, byte[]>, Repair<String>>
                    harness) {
        for (Repair<String> repair : harness.extractOutputValues()) {
            repairs.computeIfAbsent(repair.window(), w -> new HashMap<>())
                    .merge(repair.element(), repair.missing(), Long::sum);
        }
        harness.getOutput().clear();
        var ended = harness.getSideOutput(tags.reports());
        if (ended != null) {
            ended.forEach(report -> reports.add(report.getValue()));
            ended.clear();
        }
        var finals = harness.getSideOutput(tags.elements());
        if (finals != null) {
            finals.forEach(
                    element ->
                            elements.computeIfAbsent(
                                            element.getValue().window(), w -> new HashMap<>())
                                    .merge(
                                            element.getValue().element(),
                                            element.getValue().copies(),
                                            Long::sum));
            finals.clear();
        }
    }

    List<WindowReport> reports() {
        return reports;
    }

    /** Final multisets, by window. */
    Map<Long, Map<String, Long>> elements() {
        return elements;
    }

    /** Sums of repairs, by window. */
    Map<Long, Map<String, Long>> repairs() {
        return repairs;
    }

    int lateRecords() {
        int late = 0;
        for (var harness : harnesses) {
            var records = harness.getSideOutput(tags.late());
            late += records == null ? 0 : records.size();
        }
        return late;
    }

    /** Entries of keyed state, of all kinds. */
    int stateEntries() {
        return harnesses.stream().mapToInt(harness -> harness.numKeyedStateEntries()).sum();
    }

    /** Stops what runs; what is not in the last completed checkpoint is lost. */
    void close() throws Exception {
        for (var harness : harnesses) {
            harness.close();
        }
        harnesses.clear();
        times.clear();
    }
}
