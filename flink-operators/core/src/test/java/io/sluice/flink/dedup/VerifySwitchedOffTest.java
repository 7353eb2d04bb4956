/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.StateIdentity;
import io.sluice.flink.testkit.Subtasks;
import java.io.IOException;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What happens to the exact state when a job continues without {@code verify()}. */
class VerifySwitchedOffTest {

    private static final long IDS = 5_000;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private Subtasks<Long, Long, Long> stream;

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    /** Counts the entries of the exact state in a snapshot. */
    private static final class Reader extends KeyGroupedOperator<Long, Long, Deduplicator>
            implements Triggerable<Object, VoidNamespace> {

        private final WindowSettings settings;
        private final SeenIds<Long> seen;
        private transient long entries;
        private transient long timers;

        Reader(WindowSettings settings) {
            this.settings = settings;
            this.seen = new SeenIds<>(settings, OnLate.forward());
        }

        @Override
        protected String layout() {
            return seen.layout(DeduplicateOperator.ENGINE);
        }

        @Override
        protected Set<String> readableLayouts() {
            return Set.of(layout(), seen.layout(VerifyingDeduplicateOperator.ENGINE));
        }

        @Override
        protected StateIdentity identity() throws IOException {
            return IdsIdentity.ofHashed(getUserCodeClassloader(), DeduplicateFixture.hasher());
        }

        @Override
        protected KeyGroupedState.Handler<Deduplicator> createHandler() {
            return DeduplicatorHandler.of(settings, getRuntimeContext().getTaskInfo(), false);
        }

        @Override
        protected boolean usesKeyedTimers() {
            return true;
        }

        @Override
        public void open() throws Exception {
            super.open();
            getPartitionedState(PassedTimes.descriptor());
            try (Stream<Object> keys =
                    getKeyedStateBackend().getKeys(PassedTimes.NAME, VoidNamespace.INSTANCE)) {
                entries = keys.count();
            }
            InternalTimerService<VoidNamespace> service =
                    getInternalTimerService(
                            PassedTimes.NAME, VoidNamespaceSerializer.INSTANCE, this);
            service.forEachEventTimeTimer((namespace, time) -> timers++);
            service.forEachProcessingTimeTimer((namespace, time) -> timers++);
        }

        @Override
        public void processElement(StreamRecord<Long> record) {}

        @Override
        public void onEventTime(InternalTimer<Object, VoidNamespace> timer) {}

        @Override
        public void onProcessingTime(InternalTimer<Object, VoidNamespace> timer) {}
    }

    private void assertSnapshotHolds(long entries, long timers) throws Exception {
        stream.start(2, () -> new Reader(fixture.settings()));
        long allEntries = 0;
        long allTimers = 0;
        for (var harness : stream.harnesses()) {
            Reader reader = (Reader) harness.getOperator();
            allEntries += reader.entries;
            allTimers += reader.timers;
        }
        assertThat(allEntries).isEqualTo(entries);
        assertThat(allTimers).isEqualTo(timers);
    }

    @ParameterizedTest
    @CsvSource({"HASHMAP, EVENT", "HASHMAP, PROCESSING", "ROCKSDB, EVENT", "ROCKSDB, PROCESSING"})
    void noSnapshotHoldsExactStateOrTimersAfterwards(Backends backend, TimeDomain domain)
            throws Exception {
        fixture.timeDomain = domain;
        stream = DeduplicateFixture.subtasks(64, backend);
        stream.start(2, fixture.verified());
        for (long id = 0; id < IDS; id++) {
            assertThat(stream.process(id, 100)).containsExactly(id);
        }
        stream.snapshot();
        assertSnapshotHolds(IDS, IDS);

        stream.start(3, fixture.filter());
        for (long id = 0; id < IDS; id++) {
            assertThat(stream.process(id, 100)).as("the filters are kept").isEmpty();
        }
        stream.snapshot();
        assertSnapshotHolds(0, 0);
    }

    @ParameterizedTest
    @CsvSource({"HASHMAP", "ROCKSDB"})
    void aSnapshotBeforeTheFirstRecordHoldsNoneEither(Backends backend) throws Exception {
        stream = DeduplicateFixture.subtasks(64, backend);
        stream.start(1, fixture.verified());
        stream.process(1L, 100);
        stream.snapshot();
        stream.start(1, fixture.filter());
        stream.snapshot();
        assertSnapshotHolds(0, 0);
    }
}
