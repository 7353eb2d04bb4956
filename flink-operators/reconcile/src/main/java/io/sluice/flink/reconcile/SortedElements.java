/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.RootSet;
import java.util.Arrays;

/**
 * Hashes and multiplicities of a window and key group, in ascending order of the hashes. The order
 * decides which slots of a filter elements take, and state backends have different orders; with
 * sorting, equal multisets give equal bytes. 16 bytes an element.
 */
final class SortedElements implements RootSet {

    private long[] hashes;
    private long[] copies;
    private int size;

    private SortedElements(int expected) {
        hashes = new long[expected];
        copies = new long[expected];
    }

    /** O(n log n), or O(n) if the host already has them sorted, as RocksDB does. */
    static SortedElements of(Host host, long expected) throws Exception {
        SortedElements elements = new SortedElements((int) Math.min(expected, 1 << 20) + 1);
        host.forEach(elements::add);
        elements.sort();
        return elements;
    }

    private void add(long hash, long multiplicity) {
        if (size == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * size);
            copies = Arrays.copyOf(copies, 2 * size);
        }
        hashes[size] = hash;
        copies[size] = multiplicity;
        size++;
    }

    private void sort() {
        boolean sorted = true;
        for (int i = 1; i < size && sorted; i++) {
            sorted = hashes[i - 1] <= hashes[i];
        }
        if (sorted) {
            return;
        }
        long[] order = Arrays.copyOf(hashes, size);
        Arrays.sort(order);
        long[] moved = new long[size];
        for (int i = 0; i < size; i++) {
            moved[Arrays.binarySearch(order, hashes[i])] = copies[i];
        }
        hashes = order;
        copies = moved;
    }

    /** Returns how many elements have more copies than this. */
    int countAbove(long most) {
        int above = 0;
        for (int i = 0; i < size; i++) {
            above += copies[i] > most ? 1 : 0;
        }
        return above;
    }

    int size() {
        return size;
    }

    @Override
    public void forEach(Visitor visitor) {
        for (int i = 0; i < size; i++) {
            visitor.element(hashes[i], copies[i]);
        }
    }
}
