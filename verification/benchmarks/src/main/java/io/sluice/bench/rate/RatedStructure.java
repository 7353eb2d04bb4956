/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

/**
 * A set under test, one operation at a time. Operations take 64-bit keys and are what a user of the
 * structure would write: each structure hashes its keys itself, within the time. {@link Contender}
 * loops over them.
 */
public interface RatedStructure {

    /** A stable word in camel case for the names of figures, such as {@code guavaBloom}. */
    String id();

    /** For readers; without commas, because tables contain it. */
    String name();

    /** Keys that it is made for: with this many it has the intended false-positive probability. */
    long capacity();

    /** Forgets everything and allocates: the next operation finds an empty structure. */
    void begin();

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

    /** Bytes of its tables. */
    long sizeInBytes();

    /** Releases the memory; {@link #begin} makes it usable again. */
    void end();
}
