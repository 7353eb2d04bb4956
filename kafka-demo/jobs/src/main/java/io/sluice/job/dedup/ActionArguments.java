/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.job.message.MessageProvenance;
import picocli.CommandLine.Option;

/** The options that say what happens to records that do not pass as the first of their id. */
final class ActionArguments {
    static final String ON_DUPLICATE = "--on-duplicate";
    static final String ON_LATE = "--on-late";

    /** What happens to a record whose id was seen. */
    enum OnDuplicate {
        /** It ends here, counted. */
        DROP,
        /** It passes with one more header. */
        TAG,
        /** It goes to the topic of duplicates. */
        TOPIC
    }

    /** What happens to a record older than the window. */
    enum OnLate {
        /** It passes: better a duplicate than a loss. */
        FORWARD,
        /** It ends here, counted. */
        DROP,
        /** It goes to the topic of late records. */
        TOPIC
    }

    @Option(
            names = ON_DUPLICATE,
            defaultValue = "drop",
            paramLabel = "ACTION",
            description =
                    "What happens to a record whose id was seen: 'drop', 'tag' (it passes with the"
                            + " header "
                            + MessageProvenance.DUPLICATE_HEADER
                            + "), or 'topic'. All are counted. Default: ${DEFAULT-VALUE}.")
    OnDuplicate onDuplicate;

    @Option(
            names = ON_LATE,
            defaultValue = "forward",
            paramLabel = "ACTION",
            description =
                    "What happens to a record older than --within, whose id may have been"
                            + " forgotten: 'forward', 'drop' or 'topic'. All are counted. Default:"
                            + " ${DEFAULT-VALUE}.")
    OnLate onLate;
}
