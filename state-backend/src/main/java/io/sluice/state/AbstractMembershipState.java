/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.internal.InternalValueState;

/**
 * Base of membership states with and without time-to-live: turns the current key and namespace into
 * a lookup in the filter.
 *
 * <p>An update adds without looking up: the filter has set semantics, and merges drop copies.
 * Operations that need the keys themselves (queryable state, iteration) are refused.
 *
 * @param <K> type of the keys
 * @param <N> type of the namespaces
 * @param <V> type of the values: that of a {@link Mark}, or that with a time
 */
abstract class AbstractMembershipState<K, N, V> implements InternalValueState<K, N, V> {

    private final MembershipStore store;
    private final CurrentKey<K> key;
    private final TypeSerializer<K> keySerializer;

    private TypeSerializer<N> namespaceSerializer;
    private TypeSerializer<V> valueSerializer;
    @Nullable private V defaultValue;

    /** Null if there is only the void namespace. */
    @Nullable private final KeyFingerprinter<N> namespaces;

    @Nullable private N namespace;
    private long namespaceHash;
    private boolean isNamespaceHashed;

    /** Counts namespaces like {@link CurrentKey#serial} counts keys. */
    private long namespaceSerial;

    AbstractMembershipState(
            MembershipStore store,
            CurrentKey<K> key,
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            @Nullable KeyFingerprinter<N> namespaces,
            TypeSerializer<V> valueSerializer,
            @Nullable V defaultValue) {
        this.store = store;
        this.key = key;
        this.keySerializer = keySerializer;
        this.namespaceSerializer = namespaceSerializer;
        this.namespaces = namespaces;
        this.valueSerializer = valueSerializer;
        this.defaultValue = defaultValue;
    }

    /** Applies what a second registration of the same state may change. */
    final void update(
            TypeSerializer<N> newNamespaceSerializer,
            TypeSerializer<V> newValueSerializer,
            @Nullable V newDefaultValue) {
        namespaceSerializer = newNamespaceSerializer;
        valueSerializer = newValueSerializer;
        defaultValue = newDefaultValue;
    }

    @Nullable
    final V defaultValue() {
        return defaultValue;
    }

    /** Changes whenever the key or the namespace may have changed. */
    final long position() {
        return key.serial() + namespaceSerial;
    }

    /**
     * Marks the current key as of an earlier time, if the state has a time. Only before any other
     * operation.
     *
     * @param time at least that of the last call
     */
    void markAt(long time) throws IOException {
        mark();
    }

    /** Must be called once, after everything that the state held before was added. */
    void begin() throws IOException {}

    /** Whether a value, not null, says "seen" rather than "not seen". */
    abstract boolean isSeen(V value);

    /** Tells the filter the time. */
    final void advanceTo(long time) throws IOException {
        try {
            store.advanceTo(time);
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        }
    }

    /** Whether the current key and namespace are in the filter. */
    final boolean isMarked() throws IOException {
        CascadeFilter filter = store.filter();
        long hash = hash();
        try {
            boolean marked = filter.mightContain(key.keyGroup(), hash);
            store.asked(key.keyGroup(), hash, marked);
            return marked;
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        }
    }

    /** Puts the current key and namespace into the filter. */
    final void mark() throws IOException {
        CascadeFilter filter = store.filter();
        long hash = hash();
        try {
            filter.insert(key.keyGroup(), hash);
            store.changed(key.keyGroup(), hash);
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        } catch (FilterFullException e) {
            throw failed(e);
        }
    }

    /** Takes the current key and namespace out of the filter. */
    final void unmark() throws IOException {
        CascadeFilter filter = store.filter();
        long hash = hash();
        try {
            filter.remove(key.keyGroup(), hash);
            store.changed(key.keyGroup(), hash);
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        } catch (FilterFullException e) {
            throw failed(e);
        }
    }

    /** Returns the hash of a key in the void namespace. */
    final long hashOf(K anyKey) throws IOException {
        if (namespaces != null) {
            throw new IllegalStateException(
                    "State '" + store.name() + "' has namespaces, so a key alone is not marked.");
        }
        return key.hashOf(anyKey);
    }

    /** Marks keys by their hashes, see {@link BatchMembershipState#markAll}. */
    final void addAll(int[] keyGroups, long[] hashes, int count, boolean[] absent)
            throws IOException {
        try {
            store.filter().addAll(keyGroups, hashes, 0, count, absent);
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        } catch (FilterFullException e) {
            throw failed(e);
        }
        for (int i = 0; i < count; i++) {
            store.asked(keyGroups[i], hashes[i], !absent[i]);
            if (absent[i]) {
                store.changed(keyGroups[i], hashes[i]);
            }
        }
    }

    private IOException failed(Exception cause) {
        return new IOException(
                "Membership state '" + store.name() + "' failed: " + cause.getMessage(), cause);
    }

    /** Refuses {@code update(false)}: a filter knows only seen and not seen. */
    final UnsupportedOperationException cannotHoldFalse() {
        return new UnsupportedOperationException(
                "State '"
                        + store.name()
                        + "' is kept in a filter, which can hold 'true' or nothing, but not"
                        + " 'false'. Use clear() instead of update(false), or keep the state exact:"
                        + " take its name out of "
                        + CascadeBackendOptions.STATES.key()
                        + ", or describe it with a ValueStateDescriptor.");
    }

    private long hash() throws IOException {
        return namespaces == null ? key.hash() : Hashing.combine(key.hash(), namespaceHash());
    }

    private long namespaceHash() throws IOException {
        if (!isNamespaceHashed) {
            if (namespace == null) {
                throw new IllegalStateException(
                        "No namespace is set for state '" + store.name() + "'.");
            }
            namespaceHash = namespaces.hash(namespace);
            isNamespaceHashed = true;
        }
        return namespaceHash;
    }

    // -------------------- Flink's view --------------------

    @Override
    public final void setCurrentNamespace(N newNamespace) {
        if (namespaces != null) {
            namespace = newNamespace;
            isNamespaceHashed = false;
            namespaceSerial++;
        } else if (!(newNamespace instanceof VoidNamespace)) {
            // Its keys would be taken for those of all other namespaces.
            throw new IllegalStateException(
                    "State '"
                            + store.name()
                            + "' was made without namespaces, but is asked for in '"
                            + newNamespace
                            + "'. Give the state of a window a name of its own.");
        }
    }

    @Override
    public final TypeSerializer<K> getKeySerializer() {
        return keySerializer;
    }

    @Override
    public final TypeSerializer<N> getNamespaceSerializer() {
        return namespaceSerializer;
    }

    @Override
    public final TypeSerializer<V> getValueSerializer() {
        return valueSerializer;
    }

    /** Refused: queryable state calls from other threads, and a filter is not thread-safe. */
    @Override
    public final byte[] getSerializedValue(
            byte[] serializedKeyAndNamespace,
            TypeSerializer<K> safeKeySerializer,
            TypeSerializer<N> safeNamespaceSerializer,
            TypeSerializer<V> safeValueSerializer) {
        throw MembershipStates.noKeys(store.name(), "be queried from outside");
    }

    @Override
    public final StateIncrementalVisitor<K, N, V> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        throw MembershipStates.noKeys(store.name(), "be iterated over");
    }
}
