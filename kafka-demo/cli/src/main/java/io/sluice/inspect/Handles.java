/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.AbstractChannelStateHandle;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;

/** Takes Flink's handles apart. Stateless. */
final class Handles {

    static final String METADATA = "metadata";
    static final String SHARED = "shared";
    static final String PRIVATE = "private";
    static final String STREAM = "stream";
    static final String CHANGELOG = "changelog";

    private Handles() {}

    /** The subtasks that have state, in order. */
    static Map<Integer, OperatorSubtaskState> subtasks(OperatorState operator) {
        return new TreeMap<>(operator.getSubtaskStates());
    }

    /** Those of which keyed state consists, without the changelog around them. */
    static List<KeyedStateHandle> materialized(Iterable<KeyedStateHandle> handles) {
        List<KeyedStateHandle> all = new ArrayList<>();
        for (KeyedStateHandle handle : handles) {
            if (handle instanceof ChangelogStateBackendHandle changelog) {
                all.addAll(changelog.getMaterializedStateHandles());
                all.addAll(changelog.getNonMaterializedStateHandles());
            } else {
                all.add(handle);
            }
        }
        return all;
    }

    /** The streams of a keyed handle that is not a changelog around others. */
    static List<StoredStream> streams(int subtask, KeyedStateHandle handle) {
        List<StoredStream> streams = new ArrayList<>();
        if (handle instanceof KeyGroupsStateHandle keyGroups) {
            streams.add(new StoredStream(subtask, STREAM, keyGroups.getDelegateStateHandle()));
        } else if (handle instanceof IncrementalRemoteKeyedStateHandle incremental) {
            streams.add(new StoredStream(subtask, METADATA, incremental.getMetaDataStateHandle()));
            add(streams, subtask, SHARED, incremental.getSharedState());
            add(streams, subtask, PRIVATE, incremental.getPrivateState());
        } else if (handle instanceof ChangelogStateHandleStreamImpl log) {
            log.getHandlesAndOffsets()
                    .forEach(part -> streams.add(new StoredStream(subtask, CHANGELOG, part.f0)));
        }
        return streams;
    }

    private static void add(
            List<StoredStream> to, int subtask, String role, List<HandleAndLocalPath> files) {
        for (HandleAndLocalPath file : files) {
            to.add(new StoredStream(subtask, role + " " + file.getLocalPath(), file.getHandle()));
        }
    }

    /** State that is not keyed, by what Flink calls it. */
    static Map<String, List<StateObject>> unkeyed(OperatorSubtaskState state) {
        Map<String, List<StateObject>> all = new TreeMap<>();
        put(all, "operator state", state.getManagedOperatorState());
        put(all, "raw operator state", state.getRawOperatorState());
        put(all, "records in flight", state.getInputChannelState());
        put(all, "records in flight", state.getResultSubpartitionState());
        put(all, "records in flight", state.getUpstreamOutputBufferState());
        return all;
    }

    private static void put(
            Map<String, List<StateObject>> all, String name, Iterable<? extends StateObject> of) {
        for (StateObject object : of) {
            all.computeIfAbsent(name, key -> new ArrayList<>()).add(object);
        }
    }

    /** The streams of state that is not keyed. */
    static List<StoredStream> streams(int subtask, String name, StateObject object) {
        if (object instanceof OperatorStateHandle state) {
            return List.of(new StoredStream(subtask, name, state.getDelegateStateHandle()));
        }
        if (object instanceof AbstractChannelStateHandle<?> channel) {
            return List.of(new StoredStream(subtask, name, channel.getDelegate()));
        }
        return object instanceof StreamStateHandle stream
                ? List.of(new StoredStream(subtask, name, stream))
                : List.of();
    }
}
