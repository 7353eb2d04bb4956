/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.job.message.MessageArguments;
import io.sluice.job.message.MessageProvenance;
import io.sluice.message.Field;
import java.util.List;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** The options that say what happens to records that do not pass as the first of their id. */
final class ActionArguments {
    static final String ON_DUPLICATE = "--on-duplicate";
    static final String ON_LATE = "--on-late";
    static final String ON_CONFLICT = "--on-conflict";
    static final String CONTENT = "--content";

    private static final List<String> VALUE = List.of("value");

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

    /** What happens to a duplicate with another content. */
    enum OnConflict {
        /** It is counted. */
        COUNT,
        /** It goes to the topic of conflicts too. */
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

    @Option(
            names = ON_CONFLICT,
            paramLabel = "ACTION",
            description =
                    "Compares the contents of records with one id. A duplicate whose --content is"
                            + " not that of a record that passed is a conflict: it is still a"
                            + " duplicate, and 'count' counts it, 'topic' also writes it to"
                            + " --conflicts-topic. An id takes twice the memory. Default: contents"
                            + " are not compared.")
    @Nullable
    OnConflict onConflict;

    @Option(
            names = CONTENT,
            split = ",",
            paramLabel = "FIELD,...",
            description =
                    "What --on-conflict compares, as for --id: json-without:/sent_at, say. Where it"
                            + " cannot be read, the whole value. Default: value.")
    private @Nullable List<String> content;

    /**
     * Returns the fields of the content; none if contents are not compared.
     *
     * @throws IllegalArgumentException if there are some, but nothing compares them
     */
    List<Field> contentFields() {
        if (onConflict == null && content != null) {
            throw new IllegalArgumentException(
                    CONTENT + " has no effect without " + ON_CONFLICT + ": give both, or neither");
        }
        return onConflict == null
                ? List.of()
                : MessageArguments.fields(CONTENT, content == null ? VALUE : content);
    }

    /** Returns whether the content is the whole value. */
    boolean comparesValues() {
        return MessageArguments.text(contentFields()).equals(VALUE.get(0));
    }

    /** Returns whether conflicts go to a topic. */
    boolean hasConflictsTopic() {
        return onConflict == OnConflict.TOPIC;
    }
}
