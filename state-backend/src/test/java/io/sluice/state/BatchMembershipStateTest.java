/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many keys at once are answered as one after the other. */
class BatchMembershipStateTest {

    private static final MembershipStateDescriptor FLAG =
            new MembershipStateDescriptor("flag", 1e-9);

    @TempDir Path directory;

    private Subtask<Long> start(List<KeyedStateHandle> handles) throws Exception {
        return Subtask.ofLongs("hashmap", directory, handles);
    }

    @SuppressWarnings("unchecked") // the keys are those of the subtask
    private static BatchMembershipState<Long> batches(ValueState<Boolean> state) {
        return (BatchMembershipState<Long>) state;
    }

    /** Keys repeat within a batch, and between single calls. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 32, 1000})
    void anExactModelAgrees(int most) throws Exception {
        SplittableRandom random = new SplittableRandom(most);
        Set<Long> model = new HashSet<>();
        KeyedStateHandle checkpoint = null;
        var registry = new SharedStateRegistryImpl();
        for (int epoch = 0; epoch < 3; epoch++) {
            try (Subtask<Long> task = start(checkpoint == null ? List.of() : List.of(checkpoint))) {
                ValueState<Boolean> state = task.state(FLAG);
                for (int round = 0; round < 200; round++) {
                    batch(random, batches(state), model, 1 + random.nextInt(most));
                    long key = random.nextLong(2_000);
                    task.backend().setCurrentKey(key);
                    assertThat(state.value() != null).isEqualTo(model.contains(key));
                    if (random.nextBoolean()) {
                        state.update(true);
                        model.add(key);
                    } else {
                        state.clear();
                        model.remove(key);
                    }
                    batch(random, batches(state), model, 1);
                    assertThat(state.value() != null).isEqualTo(model.contains(key));
                }
                checkpoint = task.checkpoint(epoch + 1, registry);
            }
        }
    }

    private static void batch(
            SplittableRandom random, BatchMembershipState<Long> state, Set<Long> model, int count)
            throws Exception {
        long[] keys = random.longs(count, 0, 2_000).toArray();
        long[] hashes = new long[count];
        int[] groups = new int[count];
        for (int i = 0; i < count; i++) {
            hashes[i] = state.hash(keys[i]);
            groups[i] = KeyGroupRangeAssignment.assignToKeyGroup(keys[i], Subtask.MAX_PARALLELISM);
        }
        boolean[] absent = new boolean[count];
        state.markAll(groups, hashes, count, absent);
        for (int i = 0; i < count; i++) {
            assertThat(absent[i]).as("key %d", keys[i]).isEqualTo(model.add(keys[i]));
        }
    }

    @Test
    void aStateWithNamespacesIsRefused() throws Exception {
        try (Subtask<Long> task = start(List.of())) {
            ValueState<Boolean> state =
                    task.backend().getPartitionedState("window", StringSerializer.INSTANCE, FLAG);
            assertThatThrownBy(() -> batches(state).hash(1L))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'flag' has namespaces");
        }
    }
}
