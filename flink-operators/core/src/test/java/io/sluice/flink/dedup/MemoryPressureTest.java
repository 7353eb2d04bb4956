/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.Test;

/** What the log says when the memory does not suffice. */
class MemoryPressureTest {

    private static final int KEY_GROUPS = 4;
    private static final int IDS = 200_000;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private final List<String> log = new ArrayList<>();

    /**
     * @param inOne of ten ids, those that go to the first key group
     */
    private String advice(int inOne) throws IOException {
        fixture.overflow = OverflowPolicy.FORGET_OLDEST;
        KeyGroupedState<Deduplicator> state =
                new KeyGroupedState<>(
                        "under pressure",
                        KeyGroupRange.of(0, KEY_GROUPS - 1),
                        KEY_GROUPS,
                        "layout",
                        Set.of("layout"),
                        IdsIdentity.ofHashed(
                                getClass().getClassLoader(), DeduplicateFixture.hasher()),
                        new DeduplicatorHandler(
                                fixture.settings().windowOptions(KEY_GROUPS),
                                new MemoryBudget(200_000, KEY_GROUPS),
                                0,
                                0,
                                false));
        for (long id = 0; id < IDS; id++) {
            int keyGroup = id % 10 < inOne ? 0 : (int) (id % KEY_GROUPS);
            long time = id / 50;
            state.get(keyGroup).advanceTo(time);
            state.get(keyGroup).decide(Hashing.hash(id), time);
        }
        DeduplicateMetrics counts = new DeduplicateMetrics(new UnregisteredMetricsGroup());
        counts.refresh(state, fixture.settings().windowMillis());
        new MemoryPressure("'x'", fixture.settings(), log::add).check(counts, 0);
        assertThat(log).hasSize(1);
        return log.get(0);
    }

    @Test
    void whereAllKeyGroupsAreFullMoreSubtasksHelp() throws IOException {
        assertThat(advice(0))
                .startsWith("Operator 'x': memory of 64.000mb (67108864 bytes) does not suffice")
                .endsWith("raise falsePositiveProbability, or raise the parallelism.");
    }

    /** As with counters, one of which gets most operations. */
    @Test
    void whereOneKeyGroupHasMostIdsItIsSaidThatNoParallelismDividesIt() throws IOException {
        assertThat(advice(10))
                .contains("100 % of that is for one key group, which no parallelism divides")
                .contains("let Deduplicate pass each id once before they are counted");
    }
}
