/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.Backends;
import io.sluice.flink.DamagedState;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.PinnedKeyGroups;
import io.sluice.flink.runtime.StateIdentity;
import io.sluice.flink.testkit.Subtasks;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory.MemoryCheckpointOutputStream;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.Test;

/** However a task ends, nothing stays reserved in the budget of its filters. */
class ReleasedMemoryTest {

    private static final int MAX_PARALLELISM = 16;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private final List<MemoryBudget> budgets = new ArrayList<>();
    private final Subtasks<Long, Long, Long> stream =
            DeduplicateFixture.subtasks(MAX_PARALLELISM, Backends.HASHMAP);

    private OneInputStreamOperator<Long, Long> watched() {
        return new DeduplicateOperator<>(
                fixture.settings(),
                fixture.batching,
                DeduplicateFixture.identity(),
                DeduplicateFixture.hasher(),
                fixture.onDuplicate,
                null,
                fixture.onLate,
                fixture.onNullId,
                fixture.rule) {
            @Override
            protected KeyGroupedState.Handler<Deduplicator> createHandler() {
                var handler = (DeduplicatorHandler) super.createHandler();
                budgets.add(handler.budget());
                return handler;
            }
        };
    }

    private void process(long ids) throws Exception {
        for (long id = 0; id < ids; id++) {
            stream.process(id, 100);
        }
    }

    private void assertAllIsReserved() {
        assertThat(budgets).isNotEmpty().allMatch(budget -> budget.reserved() > 0);
    }

    private void assertNothingIsReserved() {
        assertThat(budgets).isNotEmpty().allMatch(budget -> budget.reserved() == 0);
    }

    @Test
    void aTaskThatIsCancelledReleasesEverything() throws Exception {
        stream.start(2, this::watched);
        process(5_000);
        assertAllIsReserved();
        stream.close();
        assertNothingIsReserved();
    }

    @Test
    void aTaskThatFailsForWantOfMemoryReleasesEverything() throws Exception {
        fixture.overflow = OverflowPolicy.FAIL;
        fixture.window = Duration.ofDays(1);
        fixture.memory = MemorySize.ofMebiBytes(1);
        fixture.idsPerSecond = 1;
        stream.start(1, this::watched);
        assertThatThrownBy(() -> process(1_000_000)).isInstanceOf(FilterFullException.class);
        assertAllIsReserved();
        stream.close();
        assertNothingIsReserved();
    }

    @Test
    void aTaskWhoseRestoreFailsHalfWayReleasesEverything() throws Exception {
        stream.start(1, this::watched);
        process(5_000);
        stream.snapshot();
        int size = DamagedState.rawKeyedStateSize(stream.state());
        stream.setState(DamagedState.flipped(stream.state(), size - 100));
        stream.close();
        assertThatThrownBy(() -> stream.start(1, this::watched))
                .isInstanceOf(CorruptFilterException.class);
        assertThat(budgets).hasSize(2);
        assertNothingIsReserved();
    }

    @Test
    void whatACheckpointHasPinnedIsWrittenThoughTheFiltersWereReleased() throws Exception {
        MemoryBudget budget = new MemoryBudget(1 << 20);
        KeyGroupedState<Deduplicator> state = state(budget);
        for (long id = 0; id < 1_000; id++) {
            state.get(0).decide(Hashing.hash(id), 100);
        }
        // One may have been taken for another.
        long held = state.get(0).idsHeld();
        assertThat(held).isBetween(990L, 1_000L);
        var bytes = new MemoryCheckpointOutputStream(1 << 20);
        try (PinnedKeyGroups pinned = state.pin()) {
            state.close();
            assertThat(budget.reserved()).isZero();
            pinned.writeTo(bytes);
        }
        KeyGroupedState<Deduplicator> restored = state(new MemoryBudget(1 << 20));
        var in = new ByteArrayInputStream(bytes.closeAndGetBytes());
        restored.restore(List.of(new KeyGroupStatePartitionStreamProvider(in, 0)));
        assertThat(restored.get(0).idsHeld()).isEqualTo(held);
    }

    private static KeyGroupedState<Deduplicator> state(MemoryBudget budget) {
        return new KeyGroupedState<>(
                "'once'",
                KeyGroupRange.of(0, 0),
                1,
                "layout",
                Set.of("layout"),
                StateIdentity.NONE,
                new DeduplicatorHandler(GoldenKeyGroups.OPTIONS, budget, 0, 0, false));
    }
}
