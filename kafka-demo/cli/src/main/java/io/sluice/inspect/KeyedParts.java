/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.state.snapshot.CanonicalHandle;
import io.sluice.state.snapshot.CompositeHandle;
import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.NeedsCascadeStateBackend;
import io.sluice.state.snapshot.StoredParts;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * What the cascade state backend has put into a keyed handle.
 *
 * @param manifest which describes it
 * @param parts its files
 * @param isCanonical whether all of it is in one stream with Flink's own state
 */
record KeyedParts(CompositeManifest manifest, StoredParts parts, boolean isCanonical) {

    /**
     * Reads the manifest of a handle; empty if it is not the cascade state backend's.
     *
     * @param source what is read, for messages
     * @throws IOException if the manifest is damaged, or what precedes it cannot be read
     */
    static Optional<KeyedParts> of(KeyedStateHandle handle, String source, ClassLoader classLoader)
            throws IOException {
        if (handle instanceof KeyGroupsSavepointStateHandle savepoint) {
            return canonical(savepoint, classLoader)
                    .map(parts -> new KeyedParts(parts.manifest(), parts, true));
        }
        CompositeHandle composite =
                handle instanceof IncrementalRemoteKeyedStateHandle
                        ? CompositeHandle.of(handle).orElse(null)
                        : null;
        if (composite == null) {
            return Optional.empty();
        }
        try (FSDataInputStream stream = composite.manifest().openInputStream();
                InputStream in = new BufferedInputStream(stream)) {
            NeedsCascadeStateBackend.skip(in, source);
            return Optional.of(
                    new KeyedParts(CompositeManifest.read(in, source), composite, false));
        }
    }

    private static Optional<CanonicalHandle> canonical(
            KeyGroupsSavepointStateHandle savepoint, ClassLoader classLoader) throws IOException {
        try {
            return CanonicalHandle.of(savepoint, classLoader);
        } catch (EOFException e) {
            throw new IOException(
                    savepoint.getDelegateStateHandle() + " ends inside the descriptions of states",
                    e);
        } catch (RuntimeException | LinkageError e) {
            // Flink's readers of descriptions throw whatever the classes in them throw.
            throw new IOException(
                    "the descriptions of its states cannot be read: " + e.getMessage(), e);
        }
    }

    /** What wrote a keyed handle that is not the cascade state backend's, as far as it says. */
    static String engineOf(KeyedStateHandle handle) {
        if (handle instanceof IncrementalRemoteKeyedStateHandle) {
            return "rocksdb or forst, incremental";
        }
        if (handle instanceof KeyGroupsSavepointStateHandle) {
            return "any, canonical savepoint";
        }
        return handle instanceof KeyGroupsStateHandle ? "hashmap, or rocksdb in full" : "changelog";
    }
}
