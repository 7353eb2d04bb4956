/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.JobTopics;
import io.sluice.job.KafkaJobOptions;
import io.sluice.job.OutputRetention;
import io.sluice.message.MessageLayout;
import io.sluice.message.SchemaRegistry;

import picocli.CommandLine.Mixin;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The options of jobs that read records of any kind. */
public abstract class MessageJobOptions extends KafkaJobOptions {
    /** Name and uid of the source. */
    public static final String SOURCE = "records";

    @Mixin public final MessageArguments messages = new MessageArguments();

    /** Whether the clock is that of arrival, or there is none. */
    public boolean isProcessingTime() {
        return messages.isProcessingTime();
    }

    /** Where a record has what the job reads from it. */
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

    /** Nothing is ahead of anything else where time is that of arrival. */
    @Override
    public long driftMillis() {
        return isProcessingTime() ? 0 : super.driftMillis();
    }

    @Override
    public String source() {
        return SOURCE;
    }

    /** The topic of records that cannot be read. */
    public abstract String deadLetters();

    /**
     * Makes sure that the job can start: schema registry and broker answer, and the topics are
     * there. Returns what its user should know before.
     *
     * @param continues whether the job has a state, so that it does not write the old records again
     * @throws IOException if it cannot start, or would write nothing of use
     */
    public List<String> prepare(boolean continues) throws IOException {
        SchemaRegistry registry = messages.registry.registry();
        if (registry != null) {
            registry.requireAnswer();
        }
        JobTopics.prepare(this);
        List<String> warnings = new ArrayList<>(FirstRecords.warnings(this));
        if (!continues) {
            warnings.addAll(OutputRetention.warnings(this));
        }
        warnings.addAll(CompactedTopics.warnings(this));
        return warnings;
    }

    /** What may happen to records before the job decides about them. */
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
