/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

/** Pages that a batch of lookups still has to read, and the keys that each of them will answer. */
final class PageBatch {

    /** Pages that are read before their keys are answered: 1 MiB. */
    static final int CAPACITY = 256;

    final int[] pages = new int[CAPACITY];

    /** Index of the first key that needs the page. */
    final int[] from = new int[CAPACITY];

    /** Index after the last key that needs the page. */
    final int[] to = new int[CAPACITY];

    final int[] frames = new int[CAPACITY];

    /** Why the page could not be read; null if it could. */
    final Exception[] failures = new Exception[CAPACITY];

    int size;

    boolean isFull() {
        return size == CAPACITY;
    }

    /**
     * If key {@code i} needs the page that was added last, adds it to that page's keys; returns
     * whether it does.
     */
    boolean joins(int page, int i) {
        if (size == 0 || pages[size - 1] != page) {
            return false;
        }
        to[size - 1] = i + 1;
        return true;
    }

    void add(int page, int i) {
        pages[size] = page;
        from[size] = i;
        to[size] = i + 1;
        failures[size] = null;
        size++;
    }
}
