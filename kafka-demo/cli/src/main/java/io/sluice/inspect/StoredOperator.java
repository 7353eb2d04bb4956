/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.flink.machine.StoredMachines;
import io.sluice.inspect.StoredKeyGroups.KeyGroup;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;

/** The state of an operator that can be read here. Not thread-safe. */
final class StoredOperator implements ComparedOperator {

    private final OperatorState operator;
    private final ClassLoader classLoader;
    private @Nullable StoredKeyGroups groups;
    private @Nullable StoredKeyedState keyed;

    /** The machines of the key group that was read last. */
    private @Nullable StoredMachines machines;

    private int machinesOf = -1;

    StoredOperator(OperatorState operator, ClassLoader classLoader) {
        this.operator = operator;
        this.classLoader = classLoader;
    }

    @Override
    public String title() {
        return StateReconciler.title(operator);
    }

    @Override
    public int maxParallelism() {
        return operator.getMaxParallelism();
    }

    private StoredKeyGroups groups() throws IOException {
        if (groups == null) {
            groups = StoredKeyGroups.of(operator);
        }
        return groups;
    }

    private StoredKeyedState keyed() throws IOException {
        if (keyed == null) {
            keyed = StoredKeyedState.of(operator, classLoader);
        }
        return keyed;
    }

    @Override
    public Set<Integer> keyGroups() throws IOException {
        return groups().numbers();
    }

    @Override
    @Nullable
    public ComparedKeyGroup keyGroup(
            int keyGroup, @Nullable ComparedKeyGroup ofOther, Consumer<Problem> problems)
            throws IOException {
        KeyGroup stored = groups().read(keyGroup, problems);
        machines = stored == null ? null : stored.machines();
        machinesOf = keyGroup;
        return stored == null ? null : ComparedKeyGroup.of(stored);
    }

    @Override
    public Map<String, String> machines(int keyGroup, Map<String, String> ofOther) {
        if (keyGroup != machinesOf) {
            throw new IllegalStateException("key group " + keyGroup + " was not asked for last");
        }
        Map<String, String> byId = new TreeMap<>();
        if (machines != null) {
            machines.states().forEach((id, state) -> byId.put(String.format("%016x", id), state));
        }
        return byId;
    }

    @Override
    public Map<String, Long> totals(int keyGroup, Map<String, Long> ofOther) throws IOException {
        return StoredValues.totals(keyed(), keyGroup);
    }

    @Override
    public Map<String, ComparedFlags> flags(Consumer<Problem> problems) throws IOException {
        return new TreeMap<>(StoredFlags.of(operator, classLoader, problems));
    }

    @Override
    @Nullable
    public ComparedValues values(String state) throws IOException {
        StoredKeyedState stored = keyed();
        StateMetaInfoSnapshot described = stored.description(state);
        return described == null ? null : new Values(stored, state, writtenBy(described));
    }

    private static String writtenBy(StateMetaInfoSnapshot described) {
        return described.getOption(CommonOptionsKeys.KEYED_STATE_TYPE)
                + " written by "
                + described
                        .getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER)
                        .getClass()
                        .getName();
    }

    private record Values(StoredKeyedState stored, String state, String writtenBy)
            implements ComparedValues {
        @Override
        public Set<Integer> keyGroups() {
            return stored.keyGroups();
        }

        @Override
        public Map<String, String> of(int keyGroup, Map<String, String> ofOther)
                throws IOException {
            return StoredValues.of(stored, state, keyGroup);
        }
    }
}
