/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * Base of membership states: turns the current key and namespace into a hash, and asks the filter
 * for it.
 *
 * <p>An update adds without looking up: the filter has set semantics, and merges drop copies.
 * Operations that need the keys themselves (queryable state, iteration) are refused.
 *
 * @param <K> type of the keys
 * @param <N> type of the namespaces
 * @param <V> type of what the state holds for a key and a namespace
 */
abstract class AbstractMembershipState<K, N, V> implements InternalKvState<K, N, V> {

    private final MembershipStore store;
    private final CurrentKey<K> key;
    private final TypeSerializer<K> keySerializer;

    private TypeSerializer<N> namespaceSerializer;
    private TypeSerializer<V> valueSerializer;

    /** Null if the state has no time-to-live. */
    @Nullable private final TtlTimeProvider clock;

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
            @Nullable TtlTimeProvider clock) {
        this.store = store;
        this.key = key;
        this.keySerializer = keySerializer;
        this.namespaceSerializer = namespaceSerializer;
        this.namespaces = namespaces;
        this.valueSerializer = valueSerializer;
        this.clock = clock;
    }

    /** Applies what a second registration of the same state may change. */
    void update(TypeSerializer<N> newNamespaceSerializer, StateDescriptor<?, V> descriptor) {
        namespaceSerializer = newNamespaceSerializer;
        valueSerializer = descriptor.getSerializer();
    }

    /** Changes whenever the key or the namespace may have changed. */
    final long position() {
        return key.serial() + namespaceSerial;
    }

    /**
     * Marks a hash as of an earlier time, if the state has a time-to-live. Only before any other
     * operation.
     *
     * @param time at least that of the last call
     */
    final void markAt(long hash, long time) throws IOException {
        if (clock != null) {
            advanceTo(time);
        }
        mark(hash);
    }

    /**
     * Must be called once, after everything that the state held before was added. With a
     * time-to-live, what has not started to live does so now.
     */
    final void begin() throws IOException {
        tellTime();
    }

    final boolean hasTimeToLive() {
        return clock != null;
    }

    /** The present time; only with a time-to-live. */
    final long now() {
        return requireNonNull(clock, "clock").currentTimestamp();
    }

    /** Tells the filter the time, if the state has a time-to-live. */
    final void tellTime() throws IOException {
        if (clock instanceof EventClock events) {
            tellTime(events);
        } else if (clock != null) {
            advanceTo(clock.currentTimestamp());
        }
    }

    private void tellTime(EventClock events) throws IOException {
        long latest = events.currentTimestamp();
        if (latest == Long.MIN_VALUE) {
            return;
        }
        try {
            store.advanceTo(latest, events.reached(), events.bound());
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        }
    }

    private void advanceTo(long time) throws IOException {
        try {
            store.advanceTo(time);
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        }
    }

    /** Whether a hash of the current key is in the filter. */
    final boolean isMarked(long hash) throws IOException {
        CascadeFilter filter = store.filter();
        try {
            boolean marked = filter.mightContain(key.keyGroup(), hash);
            store.asked(key.keyGroup(), hash, marked);
            return marked;
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        }
    }

    /** Puts a hash of the current key into the filter. */
    final void mark(long hash) throws IOException {
        mark(key.keyGroup(), hash);
    }

    /** Puts a hash of any key into the filter. */
    final void mark(int keyGroup, long hash) throws IOException {
        CascadeFilter filter = store.filter();
        try {
            filter.insert(keyGroup, hash);
            store.changed(keyGroup, hash);
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        } catch (FilterFullException e) {
            throw failed(e);
        }
    }

    /** Takes a hash of the current key out of the filter. */
    final void unmark(long hash) throws IOException {
        CascadeFilter filter = store.filter();
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

    final String name() {
        return store.name();
    }

    /** The hash of the current key and namespace. */
    final long hash() throws IOException {
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
        throw store.noKeys("be queried from outside");
    }

    @Override
    public final StateIncrementalVisitor<K, N, V> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        throw store.noKeys("be iterated over");
    }
}
