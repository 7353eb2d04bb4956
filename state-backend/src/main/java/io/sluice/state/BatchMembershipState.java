/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.KeyedStateBackend;

/**
 * A membership state that marks the keys of many records at once, for operators that let records
 * wait for each other. Answers as one call after the other would, in their order; several times as
 * fast when the filter exceeds the processor's caches, see {@link
 * io.sluice.filter.cascade.CascadeFilter#addAll}.
 *
 * <p>The current key does not matter. Only for value states without namespaces. With a
 * time-to-live, what is marked lives from now on; what was marked before does so too if reading is
 * said to renew it.
 *
 * @param <K> type of the keys
 */
@Internal
public interface BatchMembershipState<K> {

    /**
     * Returns the state of this name that an operator has asked for: Flink wraps a state with a
     * time-to-live, and so hides it.
     *
     * @return null if the backend does not have it in a filter
     */
    @Nullable
    static BatchMembershipState<?> find(KeyedStateBackend<?> backend, String name) {
        return backend instanceof CascadeKeyedStateBackend<?> cascade ? cascade.batch(name) : null;
    }

    /** Tells a state with a time-to-live the time when no record does. */
    void advance() throws IOException;

    /** Returns what {@link #markAll} takes for a key. */
    long hash(K key) throws IOException;

    /**
     * Marks keys.
     *
     * @param keyGroups of the keys, at the indices of their hashes
     * @param hashes of the keys, see {@link #hash}
     * @param count of keys, from index 0
     * @param absent gets whether each was certainly not marked before, at the indices of the hashes
     * @throws IOException if the disk fails; some keys may have been marked
     */
    void markAll(int[] keyGroups, long[] hashes, int count, boolean[] absent) throws IOException;
}
