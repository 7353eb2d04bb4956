/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

/**
 * One side's multiset itself, wherever it lives: it only has to be iterable. It may be iterated
 * several times, in any order, and must not change between a digest and the difference that is made
 * with it.
 */
@FunctionalInterface
public interface RootSet {

    /** Shows every element once. */
    void forEach(Visitor visitor);

    /** Sees the elements. */
    @FunctionalInterface
    interface Visitor {

        /**
         * One element.
         *
         * @param hash uniform, see {@link io.sluice.filter.hash.Hashing}; different for every
         *     element
         * @param multiplicity its copies, at least 1
         */
        void element(long hash, long multiplicity);
    }
}
