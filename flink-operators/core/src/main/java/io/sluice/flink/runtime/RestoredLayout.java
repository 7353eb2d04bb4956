/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;

/** Reads which engine wrote the state of an operator, before that is made. */
@Internal
public final class RestoredLayout {

    private RestoredLayout() {}

    /**
     * Returns the layout, in the sense of {@link KeyGroupedState}, that the operator's subtask is
     * restored from; empty if it starts without state. All subtasks get the same answer: each key
     * group has the layout.
     *
     * @param name of the operator, for messages
     */
    public static Optional<String> of(Environment environment, OperatorID operator, String name) {
        for (StateObjectCollection<KeyedStateHandle> handles :
                environment
                        .getTaskStateManager()
                        .prioritizedOperatorState(operator)
                        .getPrioritizedRawKeyedState()) {
            for (KeyedStateHandle handle : handles) {
                if (handle instanceof KeyGroupsStateHandle groups
                        && groups.getKeyGroupRange().getNumberOfKeyGroups() > 0) {
                    return Optional.of(layout(groups, name));
                }
            }
        }
        return Optional.empty();
    }

    private static String layout(KeyGroupsStateHandle handle, String name) {
        int group = handle.getKeyGroupRange().getStartKeyGroup();
        try (FSDataInputStream in = handle.openInputStream()) {
            in.seek(handle.getOffsetForKeyGroup(group));
            String source = "state of operator '" + name + "', key group " + group;
            return KeyGroupHeader.readFrom(new BufferedInputStream(in), source).layout();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
