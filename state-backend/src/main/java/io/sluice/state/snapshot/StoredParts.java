/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * What a stored handle consists of: the delegate's part, what was on the heap, and files of
 * membership states.
 */
@Internal
public interface StoredParts {

    KeyGroupRange keyGroupRange();

    /** The checkpoint whose files later ones may reuse; -1: none. */
    long checkpointId();

    /** The files of all membership states, by name. */
    Map<String, StreamStateHandle> files();

    /** Where the local copy of a file is; empty if there is none. */
    Optional<Path> localFile(String name);

    /** The delegate's part that lies in {@code wanted}; empty if it has nothing there. */
    Optional<KeyedStateHandle> delegate(CompositeManifest.DelegatePart part, KeyGroupRange wanted);

    /**
     * Returns what was on the heap and lies in {@code wanted}; empty if there is nothing.
     *
     * @param offsets as in the manifest
     */
    Optional<KeyedStateHandle> heap(long[] offsets, KeyGroupRange wanted);
}
