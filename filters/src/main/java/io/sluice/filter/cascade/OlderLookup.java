/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/**
 * One entry that is looked for in {@link OlderEntries}, and what is known about it so far. Belongs
 * to the caller, who uses the same object for the next entry, so that nothing is allocated.
 *
 * <p>Valid until the version changes.
 */
final class OlderLookup {

    /** The entry that is looked for. */
    long entry;

    /** Files that were asked, and do not have the entry: a bit each. */
    long notFoundIn;

    /** Where the entry may be, as {@link OlderEntries#findCandidates} says; 0 for nowhere. */
    long candidates;

    /** For each file that has a bit of its own, the page that may have the entry. */
    final int[] pages = new int[OlderEntries.OTHERS];

    /** Begins to look for an entry. */
    void begin(long wanted) {
        entry = wanted;
        notFoundIn = 0;
        candidates = 0;
    }
}
