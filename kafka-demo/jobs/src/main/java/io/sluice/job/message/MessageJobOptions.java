/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import static java.util.Objects.requireNonNull;

import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.KafkaJobOptions;
import io.sluice.job.OutputRetention;
import io.sluice.job.message.FirstRecords.RecordCheck;
import io.sluice.job.message.UnreadableArguments.OnUnreadable;
import io.sluice.kafka.InputTopics;
import io.sluice.message.Field;
import io.sluice.message.KafkaMessage.Problem;
import io.sluice.message.MessageLayout;
import io.sluice.message.MessageReader;
import io.sluice.message.SchemaRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import picocli.CommandLine.Mixin;

/** The options of jobs that read records of any kind. */
public abstract class MessageJobOptions extends KafkaJobOptions {
    /** Name and uid of the source. */
    public static final String SOURCE = "records";

    @Mixin public InputArguments input = new InputArguments();

    @Mixin public MessageArguments messages = new MessageArguments();

    /** Copies these options to {@code other}, which reads topics of its own. */
    protected final void copyTo(MessageJobOptions other) {
        super.copyTo(other);
        other.messages = messages;
    }

    @Override
    public List<String> inputTopics() {
        return input.present(brokers());
    }

    @Override
    public InputTopics topicsToRead() {
        return input.toRead();
    }

    @Override
    protected List<String> namedTopics() {
        return input.named();
    }

    /** Returns whether the clock is that of arrival, or there is none. */
    public boolean isProcessingTime() {
        return messages.isProcessingTime();
    }

    /** Returns where a record has what the job reads from it. */
    public MessageLayout layout() {
        return new MessageLayout(
                messages.idFields(),
                isProcessingTime() ? null : messages.timeField(),
                !isProcessingTime(),
                messages.timeFormat.format(),
                messages.registry.registry(),
                messages.unreadable.tombstones(),
                messages.isStrict());
    }

    /** Returns where a record has these fields, read as those of an id are, and no time. */
    public MessageLayout layoutOf(List<Field> fields) {
        return new MessageLayout(
                fields,
                null,
                false,
                messages.timeFormat.format(),
                messages.registry.registry(),
                null,
                messages.isStrict());
    }

    /** Nothing is ahead of anything else where time is that of arrival. */
    @Override
    public long driftMillis() {
        return isProcessingTime() ? 0 : super.driftMillis();
    }

    @Override
    public String source() {
        return SOURCE;
    }

    /** Returns whether records are read as {@link #layout} says, and not in another way. */
    public boolean readsMessages() {
        return true;
    }

    /** Returns what a record must have; follows how many have it. */
    protected String needs() {
        return "has the id " + MessageArguments.text(messages.idFields());
    }

    /** Returns what helps if none has it. */
    protected String remedy() {
        return "Say with " + MessageArguments.ID + " where the id is: " + Field.SYNTAX;
    }

    /**
     * Finds out whether a record has it.
     *
     * @param reader of the job; null if it reads no messages
     */
    protected RecordCheck recordCheck(@Nullable MessageReader reader) {
        return record -> {
            Problem problem = requireNonNull(reader).read(record).problem();
            return problem == null || problem == Problem.NO_TIME ? null : problem.code();
        };
    }

    /**
     * Refuses what lets a record pass unread, in a job that writes no records.
     *
     * @param written what it writes
     */
    protected final void refusePassing(String written) {
        UnreadableArguments unreadable = messages.unreadable;
        if (unreadable.onUnreadable() == OnUnreadable.FORWARD) {
            throw new IllegalArgumentException(
                    UnreadableArguments.ON_UNREADABLE
                            + " forward has no effect, since "
                            + written
                            + " are written and no records: say dead-letter or fail");
        }
        if (unreadable.tombstones() != null && unreadable.tombstones().pass()) {
            throw new IllegalArgumentException(
                    UnreadableArguments.TOMBSTONES
                            + " has no effect but with drop, since "
                            + written
                            + " are written and no records: say drop");
        }
    }

    /** Refuses options of times that no record is asked for. */
    protected final void refuseTimesWithoutEffect() {
        if (messages.isProcessingTime()) {
            refuse(messages.timeFormat.hasUnit(), TimeFormatArguments.TIME_UNIT);
            refuse(maxDrift != null, MAX_DRIFT);
        }
        if (messages.timeField() == null) {
            refuse(messages.timeFormat.hasZone(), TimeFormatArguments.TIME_ZONE);
        }
    }

    /** Refuses an option that has no effect with the clock of the job. */
    protected final void refuse(boolean given, String option) {
        if (given) {
            throw new IllegalArgumentException(
                    option
                            + " has no effect with "
                            + MessageArguments.TIME
                            + " "
                            + messages.ofTheState().get(MessageArguments.TIME)
                            + ": leave it out");
        }
    }

    /** Returns the topic of records that cannot be read. */
    public abstract String deadLetters();

    @Override
    public List<String> prepare(boolean continues) throws IOException {
        SchemaRegistry registry = messages.registry.registry();
        if (registry != null) {
            registry.requireAnswer();
        }
        List<String> warnings = new ArrayList<>(super.prepare(continues));
        warnings.addAll(FirstRecords.warnings(this));
        if (!continues) {
            warnings.addAll(beforeTheFirst());
        }
        warnings.addAll(CompactedTopics.warnings(this));
        warnings.addAll(ArrivalTimes.warnings(this));
        return warnings;
    }

    /**
     * Returns what the user of a job without state should know of the records it will write.
     *
     * @throws IOException if it would write nothing of use
     */
    protected List<String> beforeTheFirst() throws IOException {
        return OutputRetention.warnings(this);
    }

    /** Returns what may happen to records before the job decides about them. */
    public final List<Trouble> troubles() {
        List<Trouble> troubles = new ArrayList<>();
        if (!isProcessingTime()) {
            troubles.add(times.disbelieved(source()));
        }
        if (messages.timeField() != null) {
            troubles.add(
                    new Trouble(
                            "Source: " + source(),
                            MessageSource.UNREADABLE,
                            "records have no time in '"
                                    + messages.timeField()
                                    + "' that could be read",
                            MessageSource.FIRST_UNREADABLE));
        }
        troubles.add(
                new Trouble(
                        MessageEnds.SPLIT,
                        SplitMessages.REJECTED_METRIC,
                        "records could not be judged or written; they are on topic '"
                                + deadLetters()
                                + "', with the reason"));
        troubles.add(
                new Trouble(
                        MessageEnds.SPLIT,
                        SplitMessages.UNJUDGED_METRIC,
                        "records without an id passed without having been looked up"));
        troubles.add(
                new Trouble(
                        MessageEnds.SPLIT,
                        SplitMessages.DROPPED_TOMBSTONES,
                        "records without a value were dropped, as --tombstones says"));
        return troubles;
    }
}
