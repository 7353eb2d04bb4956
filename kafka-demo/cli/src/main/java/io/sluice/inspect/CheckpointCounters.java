/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.flink.counter.CounterTotal;
import io.sluice.flink.counter.StoredCounters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.checkpoint.OperatorState;

/** The counters of an operator in a checkpoint or savepoint. */
@Internal
public final class CheckpointCounters {
    private final StoredKeyedState state;

    private CheckpointCounters(StoredKeyedState state) {
        this.state = state;
    }

    /**
     * Finds the counters; reads metadata and descriptions of states only.
     *
     * @param uid of the operator
     * @throws IOException if there is no such operator, or it has no counters, naming what there
     *     is; if its state is in files that cannot be read here
     */
    public static CheckpointCounters of(StoredCheckpoint checkpoint, String uid)
            throws IOException {
        List<String> titles = new ArrayList<>();
        for (OperatorState operator : checkpoint.metadata().getOperatorStates()) {
            String title = StateReconciler.title(operator);
            titles.add(title);
            if (title.equals(uid)) {
                StoredKeyedState state = StoredKeyedState.of(operator, checkpoint.classLoader());
                if (state.description(CounterTotal.descriptor().getName()) == null) {
                    throw new IOException(
                            "operator '"
                                    + uid
                                    + "' in "
                                    + checkpoint.location().directory()
                                    + " has no counters: name the operator that has with --uid");
                }
                return new CheckpointCounters(state);
            }
        }
        throw new IOException(
                checkpoint.location().directory()
                        + " has no operator '"
                        + uid
                        + "', but "
                        + String.join(", ", titles)
                        + ": name the one that counts with --uid");
    }

    /**
     * Shows every counter once, in any order.
     *
     * <p>Memory: the state of one key group.
     *
     * @throws IOException if Flink cannot read the state
     */
    public void forEach(StoredCounters.Visitor visitor) throws IOException {
        for (int keyGroup : state.keyGroups()) {
            state.read(keyGroup, (backend, states) -> StoredCounters.forEach(backend, visitor));
        }
    }
}
