/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.LoggedLines;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.element.ByGroup;
import io.sluice.flink.reconcile.element.ElementIds;
import io.sluice.flink.reconcile.element.GroupKeys;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.Setup;
import io.sluice.flink.runtime.IdHasher;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two replicas whose ids are integers of different widths. */
class IdWidthsTest {

    private static final long WINDOW = 1000;

    /** A replica of one subtask, with ids of its own type. */
    private static final class Side<K> {
        private final ReconcileSettings settings;
        private final ReconcileOutputs.Tags<K, K> tags;
        private final KeyedTwoInputStreamOperatorTestHarness<
                        Integer, K, Tuple2<Integer, byte[]>, Repair<K>>
                harness;
        private final Map<Object, Long> elements = new TreeMap<>();
        private final List<WindowReport> reports = new ArrayList<>();
        private long checkpoint;

        Side(String replica, TypeInformation<K> type) throws Exception {
            SerializerConfigImpl config = new SerializerConfigImpl();
            IdHasher<K> hasher = IdHasher.of(type, config);
            ElementIds<K> ids = new ElementIds<>(hasher, type.createSerializer(config));
            settings =
                    ReplicaHistory.settings(
                            replica,
                            new Setup(WINDOW, 1, hasher.scheme().code(), 7),
                            20_000,
                            0,
                            100);
            tags = ReconcileOutputs.tags(type, type, true);
            var operator = new ReconcileOperator<K, K>(settings, id -> id, ids, id -> 1, tags);
            harness =
                    new KeyedTwoInputStreamOperatorTestHarness<>(
                            operator,
                            new ByGroup<>(id -> id, ids, settings.setup()),
                            message -> message.f0,
                            Types.INT,
                            1,
                            1,
                            0);
            operator.steadyClock(harness::getProcessingTime);
            harness.setStateBackend(Backends.HASHMAP.get());
            harness.setup();
            harness.open();
        }

        void record(K id) throws Exception {
            harness.processElement1(new StreamRecord<>(id, 10));
        }

        void receive(List<byte[]> messages) throws Exception {
            for (byte[] bytes : messages) {
                Message message = new Gate(settings).admit(bytes, (why, text) -> {});
                assertThat(message).isNotNull();
                Integer key = GroupKeys.of(1)[0];
                harness.processElement2(new StreamRecord<>(Tuple2.of(key, bytes)));
            }
        }

        List<byte[]> checkpoint() throws Exception {
            harness.setProcessingTime(harness.getProcessingTime() + 100);
            harness.processWatermark1(new Watermark(WINDOW));
            harness.prepareSnapshotPreBarrier(++checkpoint);
            harness.snapshot(checkpoint, checkpoint);
            harness.notifyOfCompletedCheckpoint(checkpoint);
            List<byte[]> published = new ArrayList<>();
            var messages = harness.getSideOutput(tags.messages());
            if (messages != null) {
                messages.forEach(message -> published.add(message.getValue().bytes()));
                messages.clear();
            }
            return published;
        }

        void collect() {
            harness.getSideOutput(tags.reports()).forEach(one -> reports.add(one.getValue()));
            harness.getSideOutput(tags.elements())
                    .forEach(
                            one -> elements.put(one.getValue().element(), one.getValue().copies()));
        }

        void close() throws Exception {
            harness.close();
        }
    }

    private Side<Integer> ints;
    private Side<Long> longs;

    @BeforeEach
    void start() throws Exception {
        ints = new Side<>("a", Types.INT);
        longs = new Side<>("b", Types.LONG);
    }

    @AfterEach
    void close() throws Exception {
        ints.close();
        longs.close();
    }

    private void exchange() throws Exception {
        for (int i = 0; i < 300; i++) {
            longs.receive(ints.checkpoint());
            ints.receive(longs.checkpoint());
        }
        ints.collect();
        longs.collect();
    }

    @Test
    void replicasWhoseIdsHaveOtherWidthsReachTheUnion() throws Exception {
        for (int id : new int[] {1, -1, Integer.MAX_VALUE, 5}) {
            ints.record(id);
        }
        for (long id : new long[] {0, -2, Integer.MIN_VALUE, 5, 5}) {
            longs.record(id);
        }
        exchange();
        assertThat(longs.elements)
                .isEqualTo(
                        Map.of(
                                0L,
                                1L,
                                1L,
                                1L,
                                -1L,
                                1L,
                                -2L,
                                1L,
                                5L,
                                2L,
                                2147483647L,
                                1L,
                                -2147483648L,
                                1L));
        assertThat(ints.elements)
                .isEqualTo(
                        Map.of(
                                0,
                                1L,
                                1,
                                1L,
                                -1,
                                1L,
                                -2,
                                1L,
                                5,
                                2L,
                                Integer.MAX_VALUE,
                                1L,
                                Integer.MIN_VALUE,
                                1L));
        assertThat(ints.reports)
                .extracting(WindowReport::outcome)
                .containsOnly(Outcome.AGREED.name());
        assertThat(longs.reports)
                .extracting(WindowReport::outcome)
                .containsOnly(Outcome.AGREED.name());
    }

    @Test
    void anIdThatDoesNotFitIsRefusedLoggedAndEndsWithAReport() throws Exception {
        try (LoggedLines lines = LoggedLines.of(ReconcileOperator.class)) {
            ints.record(1);
            longs.record(1L + Integer.MAX_VALUE);
            exchange();
            assertThat(ints.reports)
                    .extracting(WindowReport::outcome)
                    .containsExactly(Outcome.TIMED_OUT.name());
            assertThat(ints.elements).isEqualTo(Map.of(1, 1L));
            assertThat(longs.reports).hasSize(1);
            assertThat(lines.all())
                    .anyMatch(line -> line.contains("(FOREIGN)") && line.contains("idType"));
        }
    }
}
