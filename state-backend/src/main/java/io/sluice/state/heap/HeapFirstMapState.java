/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.heap;

import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;

/** A map on the heap or in the delegate: all of it is in one place. */
final class HeapFirstMapState<K, N, M, V>
        extends HeapFirstState<K, N, Map<M, V>, InternalMapState<K, N, M, V>>
        implements InternalMapState<K, N, M, V> {

    HeapFirstMapState(
            HeapFirstStates<K> all,
            InternalMapState<K, N, M, V> heap,
            InternalMapState<K, N, M, V> delegate,
            long delegated,
            boolean takesNew) {
        super(all, heap, delegate, delegated, takesNew);
    }

    @Override
    boolean isIn(InternalMapState<K, N, M, V> place) throws Exception {
        return !place.isEmpty();
    }

    @Override
    long entries(InternalMapState<K, N, M, V> place) throws Exception {
        long entries = 0;
        for (Iterator<M> keys = place.keys().iterator(); keys.hasNext(); keys.next()) {
            entries++;
        }
        return entries;
    }

    /** One entry, for its size. */
    @Override
    Map<M, V> content(InternalMapState<K, N, M, V> place) throws Exception {
        Map.Entry<M, V> first = place.iterator().next();
        return Collections.singletonMap(first.getKey(), first.getValue());
    }

    @Override
    void copy(InternalMapState<K, N, M, V> from, InternalMapState<K, N, M, V> to) throws Exception {
        for (Map.Entry<M, V> entry : from.entries()) {
            to.put(entry.getKey(), entry.getValue());
        }
    }

    private MapSerializer<M, V> serializer() {
        TypeSerializer<Map<M, V>> serializer = getValueSerializer();
        return (MapSerializer<M, V>) serializer;
    }

    @Nullable
    private V copy(@Nullable V value) {
        return value == null ? null : serializer().getValueSerializer().copy(value);
    }

    @Override
    @Nullable
    public V get(M key) throws Exception {
        InternalMapState<K, N, M, V> here = heap();
        if (isIn(here)) {
            return copy(here.get(key));
        }
        InternalMapState<K, N, M, V> there = delegateIfUsed();
        return there == null ? null : there.get(key);
    }

    @Override
    public boolean contains(M key) throws Exception {
        InternalMapState<K, N, M, V> here = heap();
        if (isIn(here)) {
            return here.contains(key);
        }
        InternalMapState<K, N, M, V> there = delegateIfUsed();
        return there != null && there.contains(key);
    }

    @Override
    public boolean isEmpty() throws Exception {
        return place() == null;
    }

    @Override
    public void put(M key, V value) throws Exception {
        InternalMapState<K, N, M, V> place = place();
        boolean isNew = place == null || (isOnHeap(place) && !place.contains(key));
        InternalMapState<K, N, M, V> to = place == null ? placeForNew() : place;
        if (place != null && isOnHeap(place) && (isNew ? !hasRoom() : isOverfull())) {
            to = moveToDelegate();
        }
        if (isOnHeap(to)) {
            to.put(serializer().getKeySerializer().copy(key), copy(value));
        } else {
            to.put(key, value);
        }
        if (isNew) {
            added(to, Collections.singletonMap(key, value), place == null);
        } else if (isOnHeap(to)) {
            updated(Collections.singletonMap(key, value));
        }
    }

    @Override
    public void putAll(Map<M, V> map) throws Exception {
        for (Map.Entry<M, V> entry : map.entrySet()) {
            put(entry.getKey(), entry.getValue());
        }
    }

    @Override
    public void remove(M key) throws Exception {
        InternalMapState<K, N, M, V> place = place();
        if (place == null) {
            return;
        }
        boolean wasThere = !isOnHeap(place) || place.contains(key);
        place.remove(key);
        if (wasThere) {
            removed(place, 1, place.isEmpty());
        }
    }

    @Override
    public Iterable<Map.Entry<M, V>> entries() throws Exception {
        return each(entry -> entry);
    }

    @Override
    public Iterable<M> keys() throws Exception {
        return each(Map.Entry::getKey);
    }

    @Override
    public Iterable<V> values() throws Exception {
        return each(Map.Entry::getValue);
    }

    @Override
    public Iterator<Map.Entry<M, V>> iterator() throws Exception {
        return entries().iterator();
    }

    /**
     * Iterates over a copy of what is on the heap, as with a backend that serializes; what is
     * removed goes from both.
     */
    private <T> Iterable<T> each(Function<Map.Entry<M, V>, T> part) throws Exception {
        InternalMapState<K, N, M, V> place = place();
        if (place == null) {
            return List.of();
        }
        if (!isOnHeap(place)) {
            Iterable<Map.Entry<M, V>> entries = place.entries();
            return () -> new Each<>(entries.iterator(), part);
        }
        List<Map.Entry<M, V>> copies = new ArrayList<>();
        for (Map.Entry<M, V> entry : place.entries()) {
            M key = serializer().getKeySerializer().copy(entry.getKey());
            copies.add(new Copy(key, copy(entry.getValue())));
        }
        return () -> new Each<>(copies.iterator(), part);
    }

    /** Both are called for the key that was current when the iteration began. */
    private static void unchecked(ThrowingRunnable change) {
        try {
            change.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("The map cannot be changed.", e);
        }
    }

    @FunctionalInterface
    private interface ThrowingRunnable {
        void run() throws Exception;
    }

    private final class Each<T> implements Iterator<T> {
        private final Iterator<Map.Entry<M, V>> entries;
        private final Function<Map.Entry<M, V>, T> part;
        @Nullable private Map.Entry<M, V> last;

        Each(Iterator<Map.Entry<M, V>> entries, Function<Map.Entry<M, V>, T> part) {
            this.entries = entries;
            this.part = part;
        }

        @Override
        public boolean hasNext() {
            return entries.hasNext();
        }

        @Override
        public T next() {
            last = entries.next();
            return part.apply(last);
        }

        @Override
        public void remove() {
            if (last == null) {
                throw new IllegalStateException("There is nothing to remove before next().");
            }
            M key = last.getKey();
            last = null;
            unchecked(() -> HeapFirstMapState.this.remove(key));
        }
    }

    private final class Copy extends AbstractMap.SimpleEntry<M, V> {
        private static final long serialVersionUID = 1;

        Copy(M key, @Nullable V value) {
            super(key, value);
        }

        @Override
        @Nullable
        public V setValue(@Nullable V newValue) {
            unchecked(() -> put(getKey(), newValue));
            return super.setValue(newValue);
        }
    }
}
