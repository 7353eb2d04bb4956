/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.heap;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.util.CloseableIterator;

/**
 * Timers, of which each is on the heap or in the delegate, but not in both: two equal ones would
 * fire twice.
 */
final class HeapFirstTimers<T extends PriorityComparable<? super T>>
        implements KeyGroupedInternalPriorityQueue<T> {

    private final KeyGroupedInternalPriorityQueue<T> delegate;
    private final Supplier<KeyGroupedInternalPriorityQueue<T>> create;
    private final BooleanSupplier hasRoom;

    /** Null until a state is kept on the heap. */
    @Nullable private KeyGroupedInternalPriorityQueue<T> heap;

    /**
     * @param create makes the queue on the heap
     * @param hasRoom whether another timer fits there
     */
    HeapFirstTimers(
            KeyGroupedInternalPriorityQueue<T> delegate,
            Supplier<KeyGroupedInternalPriorityQueue<T>> create,
            BooleanSupplier hasRoom) {
        this.delegate = delegate;
        this.create = create;
        this.hasRoom = hasRoom;
    }

    void begin() {
        heap = create.get();
    }

    int onHeap() {
        return heap == null ? 0 : heap.size();
    }

    /** Returns the queue that has the first timer; any if both are empty. */
    private KeyGroupedInternalPriorityQueue<T> first() {
        T here = heap == null ? null : heap.peek();
        if (here == null) {
            return delegate;
        }
        T there = delegate.peek();
        return there == null || here.comparePriorityTo(there) <= 0 ? heap : delegate;
    }

    @Override
    @Nullable
    public T poll() {
        return first().poll();
    }

    @Override
    @Nullable
    public T peek() {
        return first().peek();
    }

    @Override
    public boolean add(T timer) {
        if (heap == null) {
            return delegate.add(timer);
        }
        if (hasRoom.getAsBoolean()) {
            T there = delegate.peek();
            // An equal timer has the same time, so it is not before the first one.
            if (there != null && there.comparePriorityTo(timer) <= 0) {
                delegate.remove(timer);
            }
            return heap.add(timer);
        }
        heap.remove(timer);
        return delegate.add(timer);
    }

    @Override
    public void addAll(@Nullable Collection<? extends T> all) {
        if (all != null) {
            all.forEach(this::add);
        }
    }

    @Override
    public boolean remove(T timer) {
        if (heap != null) {
            int before = heap.size();
            boolean mayBeFirst = heap.remove(timer);
            if (heap.size() < before) {
                return mayBeFirst;
            }
        }
        return !delegate.isEmpty() && delegate.remove(timer);
    }

    @Override
    public boolean isEmpty() {
        return onHeap() == 0 && delegate.isEmpty();
    }

    @Override
    public int size() {
        return onHeap() + delegate.size();
    }

    @Override
    @SuppressWarnings("unchecked") // an array of two iterators of the same kind
    public CloseableIterator<T> iterator() {
        return heap == null
                ? delegate.iterator()
                : CloseableIterator.flatten(heap.iterator(), delegate.iterator());
    }

    @Override
    public Set<T> getSubsetForKeyGroup(int keyGroup) {
        Set<T> timers = new HashSet<>(delegate.getSubsetForKeyGroup(keyGroup));
        if (heap != null) {
            timers.addAll(heap.getSubsetForKeyGroup(keyGroup));
        }
        return timers;
    }

    void moveToDelegate() {
        if (heap != null) {
            for (T timer = heap.poll(); timer != null; timer = heap.poll()) {
                delegate.add(timer);
            }
        }
    }
}
