/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.OptionException;
import io.sluice.flink.OptionRange;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedOptions;
import java.io.Serializable;
import org.apache.flink.configuration.ReadableConfig;

/**
 * How many records of an id pass, and whether one that does not begins its window again.
 *
 * <p><b>Limit n.</b> An id has n places in the filter, hashes that are made of its own; the first
 * is its own hash, so a limit of 1 is plain deduplication, and reads its state. A record passes if
 * a place is certainly absent, and takes the first such place for its own window. So at most n pass
 * in a window: of n + 1, two would have the same place, and the second would have found it taken. A
 * record that should pass, since at most n - 1 places are taken, is dropped only if each of the
 * others is a false positive, so with probability at most n times that of a place; that is why
 * {@link #settings} divides it. Another n at a restore looks at more or fewer of the same places.
 *
 * <p>Cost: one lookup for each place up to the first that is absent; n for a duplicate.
 *
 * @param limit records of an id that pass within a window; 1 to {@value #MAX_LIMIT}
 * @param resetOnDuplicate whether a duplicate begins the window of its id again; only with limit 1
 */
record PassRule(int limit, boolean resetOnDuplicate) implements Serializable {

    /** A duplicate costs as many lookups. */
    static final int MAX_LIMIT = 64;

    private static final OptionRange<Integer> RANGE =
            new OptionRange<>(
                    DeduplicateOptions.LIMIT,
                    1,
                    MAX_LIMIT,
                    "give how many records of an id may pass within the window");

    /** The first record of an id passes. */
    static final PassRule FIRST = new PassRule(1, false);

    PassRule {
        RANGE.check(limit);
        if (limit > 1 && resetOnDuplicate) {
            throw new OptionException(
                    new OptionException.Setting(DeduplicateOptions.LIMIT, limit),
                    " and ",
                    DeduplicateOptions.RESET_ON_DUPLICATE,
                    " exclude each other, but both are set: it is not defined which of the records"
                            + " a duplicate would renew. Leave one of them out.");
        }
    }

    /**
     * The rule of these options.
     *
     * @throws OptionException if the limit is out of range
     */
    static PassRule of(ReadableConfig options) {
        return new PassRule(
                options.get(DeduplicateOptions.LIMIT),
                options.get(DeduplicateOptions.RESET_ON_DUPLICATE));
    }

    /**
     * The settings of the filter of which places are asked.
     *
     * @throws IllegalArgumentException if no filter has such a small probability
     */
    WindowSettings settings(WindowSettings settings) {
        return settings(settings, false);
    }

    /**
     * As the other.
     *
     * @param contents whether contents are compared: then each place has the {@link IdForms}
     */
    WindowSettings settings(WindowSettings settings, boolean contents) {
        int lookups = contents ? limit * IdForms.COUNT : limit;
        if (lookups > 1 && settings.fpp() / lookups < WindowOptions.MIN_FPP) {
            throw new OptionException(
                    limit > 1
                            ? new OptionException.Setting(DeduplicateOptions.LIMIT, limit)
                            : "Comparing contents",
                    " divides ",
                    WindowedOptions.FALSE_POSITIVE_PROBABILITY,
                    ", which is ",
                    String.valueOf(settings.fpp()),
                    ", so that must be at least ",
                    String.valueOf(lookups * WindowOptions.MIN_FPP),
                    ": raise it.");
        }
        return settings.dividedBy(limit).withContents(contents);
    }

    /** See {@link Deduplicator#decide}. */
    Verdict decide(Deduplicator group, long hash, long time, long kept) {
        if (resetOnDuplicate) {
            return group.decideAndRenew(hash, time, kept);
        }
        Verdict verdict = group.decide(hash, time, kept);
        for (int i = 1; i < limit && verdict == Verdict.DUPLICATE; i++) {
            verdict = group.decide(place(hash, i), time, kept);
        }
        return verdict;
    }

    /**
     * As the other, where contents are compared. A record conflicts only if it differs from those
     * of all places.
     */
    Verdict decide(Deduplicator group, long hash, long content, long time, long kept) {
        long entry = IdForms.entry(hash, content);
        Verdict verdict = group.decide(hash, entry, time, kept, resetOnDuplicate);
        for (int i = 1; i < limit && verdict.isDuplicate(); i++) {
            verdict = verdict.and(group.decide(place(hash, i), entry, time, kept, false));
        }
        return verdict;
    }

    /** As the other, where contents are compared. */
    void remember(Deduplicator group, long hash, long content, long time, long kept) {
        long entry = IdForms.entry(hash, content);
        int i = 0;
        while (i < limit - 1
                && group.decide(place(hash, i), entry, time, kept, false).isDuplicate()) {
            i++;
        }
        group.remember(place(hash, i), entry, time, kept);
    }

    /** Remembers a late record that passes: {@link #decide} found a place that is absent. */
    void remember(Deduplicator group, long hash, long time, long kept) {
        int i = 0;
        while (i < limit - 1 && group.decide(place(hash, i), time, kept) == Verdict.DUPLICATE) {
            i++;
        }
        group.remember(place(hash, i), time, kept);
    }

    /** See {@link Deduplicator#note}. Only with limit 1: an id that was seen has no place. */
    Verdict note(Deduplicator group, long hash, long time, long kept) {
        return group.note(hash, time, kept, resetOnDuplicate);
    }

    private static long place(long hash, int i) {
        return i == 0 ? hash : Hashing.combine(hash, i);
    }
}
