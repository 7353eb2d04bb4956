/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.message.Tombstones;
import java.util.Locale;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say what happens to records that lack what a job reads from them. */
public final class UnreadableArguments {
    public static final String ON_UNREADABLE = "--on-unreadable";
    public static final String TOMBSTONES = "--tombstones";

    /** What happens to a record that cannot be read. */
    public enum OnUnreadable {
        /** It goes to the topic of dead letters, with the reason. */
        DEAD_LETTER,
        /** It passes, every time. */
        FORWARD,
        /** The job fails. */
        FAIL
    }

    @Option(
            names = ON_UNREADABLE,
            converter = OfOnUnreadable.class,
            paramLabel = "ACTION",
            description =
                    "What happens to a record in which a field that the job needs, as --id or"
                            + " --time, cannot be read: 'dead-letter', 'forward' or 'fail'."
                            + " Default: dead-letter.")
    private @Nullable OnUnreadable onUnreadable;

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
    private @Nullable Tombstones tombstones;

    /** Returns what happens to records that cannot be read. */
    public OnUnreadable onUnreadable() {
        return onUnreadable == null ? OnUnreadable.DEAD_LETTER : onUnreadable;
    }

    /** Returns what records without a value are; null if they are like all others. */
    @Nullable
    public Tombstones tombstones() {
        return tombstones;
    }

    /** Returns what {@link #tombstones} is in the state; {@code none} if nothing is said. */
    String tombstonesText() {
        return tombstones == null ? "none" : text(tombstones);
    }

    /** Returns the options that were given, by their names. */
    Stream<String> given() {
        return MessageArguments.given(ON_UNREADABLE, onUnreadable, TOMBSTONES, tombstones);
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
