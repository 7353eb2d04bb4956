/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.WindowSettings;

/**
 * The hashes under which a {@link Deduplicator} that compares contents may hold an id:
 *
 * <ul>
 *   <li>its {@link #known} form, if the content of the record is held too, as an {@link #entry}
 *       that was recorded together with it: where this form is found, so is the entry;
 *   <li>its own hash, if it was recorded without a content, before contents were compared;
 *   <li>its {@link #renewed} form, if a record that differs has begun its window again.
 * </ul>
 *
 * <p>A lookup of an id asks for all forms, so each has a part of the probability of an error.
 */
final class IdForms {

    /** Forms of an id, and so lookups of an id that is new. */
    static final int COUNT = WindowSettings.CONTENT_LOOKUPS;

    /** What an id takes in the filter: one form, and the content. */
    static final int ENTRIES = WindowSettings.CONTENT_ENTRIES;

    private static final long KNOWN = -1;
    private static final long RENEWED = -2;

    private IdForms() {}

    static long known(long hash) {
        return Hashing.combine(hash, KNOWN);
    }

    static long renewed(long hash) {
        return Hashing.combine(hash, RENEWED);
    }

    /** Returns the hash of an id together with its content. */
    static long entry(long hash, long content) {
        return Hashing.combine(known(hash), content);
    }

    /** Returns the same with the probability of one form. */
    static WindowOptions dividedByForms(WindowOptions options) {
        double fpp = Math.max(WindowOptions.MIN_FPP, options.fpp() / COUNT);
        return new WindowOptions(
                options.windowMillis(),
                fpp,
                Math.max(fpp, options.maxFpp() / COUNT),
                options.expectedPerWindow(),
                options.overflow(),
                options.layout(),
                options.maxFutureMillis(),
                options.clockFollowsTimestamps());
    }
}
