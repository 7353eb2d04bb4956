/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

import java.util.Arrays;

/**
 * Elements of one side, each with its multiplicity here and what the digest says about the peer's.
 * In the order of the root set. Not thread-safe while it grows; its readers see it complete.
 */
public final class ElementList {

    private static final int FIELDS = 3;

    private long[] fields = new long[16 * FIELDS];
    private int size;

    ElementList() {}

    void add(long hash, long multiplicity, long atPeer) {
        int at = size * FIELDS;
        if (at == fields.length) {
            fields = Arrays.copyOf(fields, 2 * at);
        }
        fields[at] = hash;
        fields[at + 1] = multiplicity;
        fields[at + 2] = atPeer;
        size++;
    }

    public int size() {
        return size;
    }

    /** The element at {@code index}, from 0 to {@link #size} - 1, as the root set gave it. */
    public long hash(int index) {
        return fields[at(index)];
    }

    /** Copies on this side, exactly. */
    public long multiplicity(int index) {
        return fields[at(index) + 1];
    }

    /**
     * Copies at the peer according to its digest; if that is the greatest count of the digest's
     * shape, at least that many.
     */
    public long atPeer(int index) {
        return fields[at(index) + 2];
    }

    /**
     * Copies that the side with fewer lacks; where {@link #atPeer} is a lower bound, this is one
     * too.
     */
    public long difference(int index) {
        return Math.abs(multiplicity(index) - atPeer(index));
    }

    private int at(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException(
                    "index must be between 0 and " + (size - 1) + ", got " + index);
        }
        return index * FIELDS;
    }
}
