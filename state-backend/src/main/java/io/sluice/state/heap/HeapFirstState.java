/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.heap;

import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.internal.InternalKvState;

/**
 * A state that has the entries of a key either on the heap or in the delegate. What is on the heap
 * is copied on its way in and out: the caller may change what it gave or got, as with a backend
 * that serializes.
 *
 * @param <S> the kind of state in both places
 */
abstract class HeapFirstState<K, N, V, S extends InternalKvState<K, N, V>>
        implements InternalKvState<K, N, V> {

    private final HeapFirstStates<K> all;
    private final S heap;
    private final S delegate;

    private final boolean takesNew;

    /** Keys with entries in the delegate: if there are none, it is not asked. */
    private long delegated;

    @Nullable private N namespace;

    /**
     * @param takesNew whether entries may come to the heap, or only leave it
     */
    HeapFirstState(HeapFirstStates<K> all, S heap, S delegate, long delegated, boolean takesNew) {
        this.all = all;
        this.heap = heap;
        this.delegate = delegate;
        this.delegated = delegated;
        this.takesNew = takesNew;
    }

    /** Returns whether the current key has something there. */
    abstract boolean isIn(S place) throws Exception;

    /** Returns how many entries the current key has there; those of a map count apart. */
    abstract long entries(S place) throws Exception;

    /** Returns what the current key has there; only if there is something. */
    abstract V content(S place) throws Exception;

    /** Copies what the current key has. */
    abstract void copy(S from, S to) throws Exception;

    /** Returns the heap, at the current key. */
    final S heap() {
        all.enterHeap();
        return heap;
    }

    private S enteredDelegate() {
        all.enterDelegate();
        return delegate;
    }

    /** Returns the place that may have the current key's entries, if the heap has none. */
    @Nullable
    final S delegateIfUsed() {
        return delegated == 0 ? null : enteredDelegate();
    }

    /** Returns where the current key's entries are; null if there are none. */
    @Nullable
    final S place() throws Exception {
        S here = heap();
        if (isIn(here)) {
            return here;
        }
        S there = delegateIfUsed();
        return there != null && isIn(there) ? there : null;
    }

    final S placeForNew() {
        return hasRoom() ? heap() : enteredDelegate();
    }

    final boolean hasRoom() {
        return takesNew && all.hasRoom();
    }

    final boolean isOverfull() {
        return all.isOverfull();
    }

    /** Measures an entry on the heap that was changed. */
    final void updated(V content) {
        all.updated(getValueSerializer(), content);
    }

    final boolean isOnHeap(S place) {
        return place == heap;
    }

    /**
     * Counts an entry that the current key has got.
     *
     * @param content of the entry alone
     * @param isFirst whether it is the key's first
     */
    final void added(S place, V content, boolean isFirst) {
        if (isOnHeap(place)) {
            all.added(getValueSerializer(), content);
        } else if (isFirst) {
            delegated++;
        }
    }

    /**
     * Counts entries that the current key has lost.
     *
     * @param isLast whether it has none any more
     */
    final void removed(S place, long entries, boolean isLast) {
        if (isOnHeap(place)) {
            all.removed(entries);
        } else if (isLast) {
            delegated--;
        }
    }

    /** Keys with entries in the delegate. */
    final long delegated() {
        return delegated;
    }

    /** Counts what the current key has on the heap after a restore. */
    final void restored() throws Exception {
        S here = heap;
        if (isIn(here)) {
            all.restored(getValueSerializer(), content(here), entries(here));
        }
    }

    /** Moves the current key's entries, which are on the heap, to the delegate. */
    final S moveToDelegate() throws Exception {
        S from = heap();
        S to = enteredDelegate();
        long entries = entries(from);
        copy(from, to);
        from.clear();
        delegated++;
        all.removed(entries);
        return to;
    }

    @Override
    public final void clear() {
        try {
            S place = place();
            if (place != null) {
                long entries = isOnHeap(place) ? entries(place) : 0;
                place.clear();
                removed(place, entries, true);
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("The state cannot be cleared.", e);
        }
    }

    @Nullable
    final N currentNamespace() {
        return namespace;
    }

    @Override
    public final void setCurrentNamespace(N newNamespace) {
        namespace = newNamespace;
        heap.setCurrentNamespace(newNamespace);
        delegate.setCurrentNamespace(newNamespace);
    }

    @Override
    public final TypeSerializer<K> getKeySerializer() {
        return heap.getKeySerializer();
    }

    @Override
    public final TypeSerializer<N> getNamespaceSerializer() {
        return heap.getNamespaceSerializer();
    }

    @Override
    public final TypeSerializer<V> getValueSerializer() {
        return heap.getValueSerializer();
    }

    @Override
    @Nullable
    public final byte[] getSerializedValue(
            byte[] serializedKeyAndNamespace,
            TypeSerializer<K> safeKeySerializer,
            TypeSerializer<N> safeNamespaceSerializer,
            TypeSerializer<V> safeValueSerializer)
            throws Exception {
        byte[] here =
                heap.getSerializedValue(
                        serializedKeyAndNamespace,
                        safeKeySerializer,
                        safeNamespaceSerializer,
                        safeValueSerializer);
        return here != null
                ? here
                : delegate.getSerializedValue(
                        serializedKeyAndNamespace,
                        safeKeySerializer,
                        safeNamespaceSerializer,
                        safeValueSerializer);
    }

    @Override
    public final StateIncrementalVisitor<K, N, V> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        throw new UnsupportedOperationException(
                "A state that is kept on the heap first has no visitor, like one in RocksDB.");
    }
}
