/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.message.Tombstones;
import java.util.Locale;
import javax.annotation.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say what happens to records that do not pass as the first of their id. */
final class ActionArguments {
    static final String ON_DUPLICATE = "--on-duplicate";
    static final String ON_LATE = "--on-late";
    static final String TOMBSTONES = "--tombstones";

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

    /** What happens to a record whose id or time cannot be read. */
    enum OnUnreadable {
        /** It goes to the topic of dead letters, with the reason. */
        DEAD_LETTER,
        /** It passes, every time. */
        FORWARD,
        /** The job fails. */
        FAIL
    }

    @Option(
            names = ON_DUPLICATE,
            defaultValue = "drop",
            paramLabel = "ACTION",
            description =
                    "What happens to a record whose id was seen: 'drop', 'tag' (it passes with the"
                            + " header "
                            + DedupJob.DUPLICATE_HEADER
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

    @Option(
            names = "--on-unreadable",
            defaultValue = "dead-letter",
            converter = OfOnUnreadable.class,
            paramLabel = "ACTION",
            description =
                    "What happens to a record in which --id or --time cannot be read:"
                            + " 'dead-letter', 'forward' or 'fail'. Default: ${DEFAULT-VALUE}.")
    OnUnreadable onUnreadable;

    @Option(
            names = TOMBSTONES,
            converter = OfTombstones.class,
            paramLabel = "ACTION",
            description =
                    "What happens to a record with a key and without a value, which deletes its"
                            + " key on a compacted topic: 'forward' (each passes), 'id-of-key' (its"
                            + " id is its key, so one passes within --within) or 'drop'. With the"
                            + " first two, all records of a key keep their order, and ids are"
                            + " compared within a key only. Default: it is a record like the"
                            + " others, with an empty value.")
    @Nullable
    Tombstones tombstones;

    /** What {@link #tombstones} is in the state; {@code none} if nothing is said. */
    String tombstonesText() {
        return tombstones == null ? "none" : text(tombstones);
    }

    private static String text(Enum<?> action) {
        return action.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Kinds of {@link Tombstones} as options write them. */
    static final class OfTombstones implements ITypeConverter<Tombstones> {
        @Override
        public Tombstones convert(String text) {
            for (Tombstones action : Tombstones.values()) {
                if (text(action).equalsIgnoreCase(text)) {
                    return action;
                }
            }
            throw new TypeConversionException(
                    "'" + text + "' is not an action: write forward, id-of-key or drop");
        }
    }

    /** Kinds of {@link OnUnreadable} as options write them. */
    static final class OfOnUnreadable implements ITypeConverter<OnUnreadable> {
        @Override
        public OnUnreadable convert(String text) {
            for (OnUnreadable action : OnUnreadable.values()) {
                if (text(action).equalsIgnoreCase(text)) {
                    return action;
                }
            }
            throw new TypeConversionException(
                    "'" + text + "' is not an action: write dead-letter, forward or fail");
        }
    }
}
