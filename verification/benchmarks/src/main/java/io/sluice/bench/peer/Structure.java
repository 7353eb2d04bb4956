/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * A set under test, one operation at a time. Operations take 64-bit keys and are what a user of the
 * structure would write: each structure hashes its keys itself, within the time. Not thread-safe.
 */
public interface Structure extends AutoCloseable {

    /** Adds a key that was not added before. */
    void insert(long key);

    boolean contains(long key);

    /** Adds {@code key} unless it is reported; returns whether it was added. */
    default boolean addIfAbsent(long key) {
        if (contains(key)) {
            return false;
        }
        insert(key);
        return true;
    }

    /**
     * Removes {@code key}, which was added; returns whether something was removed.
     *
     * @throws UnsupportedOperationException if the structure cannot remove keys
     */
    default boolean remove(long key) {
        throw new UnsupportedOperationException("this structure cannot remove keys");
    }

    /** Bytes of its tables. */
    long sizeInBytes();

    /** Releases memory outside the heap. */
    @Override
    default void close() {}

    /** A structure whose operations are calls of a library. */
    record Calls(
            LongConsumer inserting,
            LongPredicate containing,
            LongPredicate adding,
            LongPredicate removing,
            LongSupplier bytes)
            implements Structure {

        @Override
        public void insert(long key) {
            inserting.accept(key);
        }

        @Override
        public boolean contains(long key) {
            return containing.test(key);
        }

        @Override
        public boolean addIfAbsent(long key) {
            return adding == null ? Structure.super.addIfAbsent(key) : adding.test(key);
        }

        @Override
        public boolean remove(long key) {
            return removing == null ? Structure.super.remove(key) : removing.test(key);
        }

        @Override
        public long sizeInBytes() {
            return bytes.getAsLong();
        }
    }
}
