/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.heap;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalValueState;

/** A value on the heap or in the delegate. */
final class HeapFirstValueState<K, N, V>
        extends HeapFirstState<K, N, V, InternalValueState<K, N, V>>
        implements InternalValueState<K, N, V> {

    HeapFirstValueState(
            HeapFirstStates<K> all,
            InternalValueState<K, N, V> heap,
            InternalValueState<K, N, V> delegate,
            long delegated,
            boolean takesNew) {
        super(all, heap, delegate, delegated, takesNew);
    }

    @Override
    boolean isIn(InternalValueState<K, N, V> place) throws IOException {
        return place.value() != null;
    }

    @Override
    long entries(InternalValueState<K, N, V> place) {
        return 1;
    }

    @Override
    V content(InternalValueState<K, N, V> place) throws IOException {
        return place.value();
    }

    @Override
    void copy(InternalValueState<K, N, V> from, InternalValueState<K, N, V> to) throws IOException {
        to.update(from.value());
    }

    @Override
    @Nullable
    public V value() throws IOException {
        V here = heap().value();
        if (here != null) {
            return getValueSerializer().copy(here);
        }
        InternalValueState<K, N, V> there = delegateIfUsed();
        return there == null ? null : there.value();
    }

    @Override
    public void update(@Nullable V value) throws IOException {
        if (value == null) {
            clear();
            return;
        }
        InternalValueState<K, N, V> place = placeOfValue();
        // One that is in the delegate comes back, and one that made the heap too large leaves.
        boolean changesPlace = place != null && (isOnHeap(place) ? isOverfull() : hasRoom());
        if (changesPlace) {
            clear();
        }
        InternalValueState<K, N, V> to = place == null || changesPlace ? placeForNew() : place;
        to.update(isOnHeap(to) ? getValueSerializer().copy(value) : value);
        if (place == null || changesPlace) {
            added(to, value, true);
        } else if (isOnHeap(to)) {
            updated(value);
        }
    }

    /** As {@link #place}, with the exceptions of a value. */
    @Nullable
    private InternalValueState<K, N, V> placeOfValue() throws IOException {
        InternalValueState<K, N, V> here = heap();
        if (isIn(here)) {
            return here;
        }
        InternalValueState<K, N, V> there = delegateIfUsed();
        return there != null && isIn(there) ? there : null;
    }
}
