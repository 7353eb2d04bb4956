/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.flink.dedup.Keep;
import io.sluice.job.JobArguments;
import io.sluice.job.dedup.DedupOptions.OnDuplicate;
import io.sluice.job.dedup.DedupOptions.OnLate;
import java.util.ArrayList;
import java.util.List;

/** The options of {@link DedupJob} that do not go together. Each message names both. */
final class DedupConflicts {
    private static final String KEEP_LAST = DedupOptions.KEEP + " last";

    private DedupConflicts() {}

    /**
     * @throws IllegalArgumentException if two options contradict each other, or one would have no
     *     effect with another
     */
    static void check(DedupOptions options) {
        if (options.forever) {
            checkForever(options);
        } else if (options.isProcessingTime()) {
            refuseWithout(
                    options.onLate != OnLate.FORWARD,
                    DedupOptions.ON_LATE,
                    DedupOptions.TIME + " processing, in which no record is late");
        }
        if (options.isProcessingTime()) {
            String clock =
                    options.forever ? DedupOptions.FOREVER : DedupOptions.TIME + " processing";
            refuseWithout(options.timeFormat.hasUnit(), TimeFormatArguments.TIME_UNIT, clock);
            refuseWithout(options.maxDrift != null, JobArguments.MAX_DRIFT, clock);
        }
        refuse(
                options.timeFormat.hasZone() && options.timeField() == null,
                TimeFormatArguments.TIME_ZONE
                        + " has no effect where "
                        + DedupOptions.TIME
                        + " is not a field of a record: leave it out");
        if (options.keep == Keep.LAST) {
            checkKeepLast(options);
        }
        checkRule(options);
        refuse(
                options.summaryTopic != null && options.onDuplicate == OnDuplicate.TAG,
                DedupOptions.SUMMARY_TOPIC
                        + " counts duplicates that are suppressed, and with "
                        + DedupOptions.ON_DUPLICATE
                        + " tag none is: say 'drop' or 'topic', or leave it out");
    }

    /** Which records of an id pass, beyond the first. */
    private static void checkRule(DedupOptions options) {
        String limit = DedupOptions.LIMIT + " " + options.limit;
        String reset = DedupOptions.RESET_ON_DUPLICATE;
        for (String with : rivals(options)) {
            refuse(
                    options.limit > 1,
                    limit + " does not go with " + with + ": leave one of them out");
            refuse(
                    options.resetOnDuplicate,
                    reset + " does not go with " + with + ": leave one of them out");
        }
        refuse(
                options.limit > 1 && options.resetOnDuplicate,
                limit + " does not go with " + reset + ": leave one of them out");
        if (options.limit > 1) {
            options.filter.requireAtLeast(options.limit * WindowOptions.MIN_FPP, limit);
        }
    }

    /** What remembers ids in another way, which has one place for an id, and one time. */
    private static List<String> rivals(DedupOptions options) {
        List<String> rivals = new ArrayList<>();
        if (options.forever) {
            rivals.add(DedupOptions.FOREVER);
        }
        if (options.keep == Keep.LAST) {
            rivals.add(KEEP_LAST);
        }
        if (options.verify) {
            rivals.add(DedupOptions.VERIFY);
        }
        return rivals;
    }

    private static void checkForever(DedupOptions options) {
        String forever = DedupOptions.FOREVER;
        String instead = forever + " has none: give " + DedupOptions.WITHIN + " instead";
        refuse(
                options.verify,
                DedupOptions.VERIFY
                        + " needs "
                        + DedupOptions.WITHIN
                        + ": for ever, lower "
                        + DedupOptions.FPP
                        + " instead");
        refuse(
                options.summaryTopic != null,
                DedupOptions.SUMMARY_TOPIC + " counts the duplicates of a window, and " + instead);
        refuse(
                options.keep == Keep.LAST,
                KEEP_LAST + " passes a record at the end of a window, and " + instead);
        refuseWithout(!options.isKafkasTime(), DedupOptions.TIME, forever);
        refuseWithout(options.onLate != OnLate.FORWARD, DedupOptions.ON_LATE, forever);
        options.filter.requireNoneOfAWindow(forever);
        options.filter.requireAtLeast(DedupOptions.MIN_FPP_FOREVER, forever);
    }

    private static void checkKeepLast(DedupOptions options) {
        refuse(
                options.onDuplicate == OnDuplicate.TAG,
                DedupOptions.ON_DUPLICATE
                        + " tag marks records that pass after their first, and with "
                        + KEEP_LAST
                        + " none does: say 'drop' or 'topic'");
        refuseWithout(options.verify, DedupOptions.VERIFY, KEEP_LAST + ", which is exact");
        options.filter.requireNone(KEEP_LAST + ", which has no filter");
    }

    private static void refuseWithout(boolean given, String option, String with) {
        refuse(given, option + " has no effect with " + with + ": leave it out");
    }

    private static void refuse(boolean conflict, String message) {
        if (conflict) {
            throw new IllegalArgumentException(message);
        }
    }
}
