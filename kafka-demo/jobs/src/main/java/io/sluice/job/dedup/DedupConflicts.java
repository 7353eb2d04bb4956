/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.flink.WindowedOptions;
import io.sluice.flink.dedup.DeduplicateOptions;
import io.sluice.job.FilterArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.KafkaJobOptions;
import io.sluice.job.OperatorArgument;
import io.sluice.job.dedup.ActionArguments.OnDuplicate;
import io.sluice.job.dedup.ActionArguments.OnLate;
import io.sluice.job.message.MessageArguments;
import io.sluice.job.message.TimeFormatArguments;
import io.sluice.job.message.UnreadableArguments;
import io.sluice.kafka.OutputBrokerOptions;
import io.sluice.kafka.commit.LostCommits;
import io.sluice.kafka.commit.OnLostCommit;
import io.sluice.message.Tombstones;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.flink.configuration.ConfigOption;

/**
 * The options of {@link DedupJob} that do not go together, besides those that its operator refuses
 * itself. Each message names both.
 */
final class DedupConflicts {

    /** Something that a command line may say. */
    private record Said(String text, Predicate<DedupOptions> is) {}

    /** Two things that a command line says, and what is wrong with them. */
    private record Conflict(Said first, String why, Said second, String remedy) {
        void check(DedupOptions options) {
            if (first.is.test(options) && second.is.test(options)) {
                throw new IllegalArgumentException(first.text + why + second.text + remedy);
            }
        }
    }

    private static final Said FOREVER = new Said(DedupOptions.FOREVER, DedupOptions::isForever);
    private static final Said BY_ARRIVAL =
            new Said(
                    DedupOptions.TIME + " processing",
                    options -> options.isProcessingTime() && !options.isForever());
    private static final Said KEEP_LAST = new Said("--keep last", DedupOptions::keepsLast);
    private static final Said TIME =
            new Said(DedupOptions.TIME, options -> !options.messages.isKafkasTime());
    private static final Said NO_FIELD =
            new Said(
                    DedupOptions.TIME + " is not a field of a record",
                    options -> options.messages.timeField() == null);
    private static final Said ZONE =
            new Said(
                    TimeFormatArguments.TIME_ZONE,
                    options -> options.messages.timeFormat.hasZone());
    private static final Said UNIT =
            new Said(
                    TimeFormatArguments.TIME_UNIT,
                    options -> options.messages.timeFormat.hasUnit());
    private static final Said DRIFT =
            new Said(JobArguments.MAX_DRIFT, options -> options.maxDrift != null);
    private static final Said ON_LATE =
            new Said(ActionArguments.ON_LATE, options -> options.actions.onLate != OnLate.FORWARD);
    private static final Said TAG =
            new Said(
                    ActionArguments.ON_DUPLICATE + " tag",
                    options -> options.actions.onDuplicate == OnDuplicate.TAG);
    private static final Said TOMBSTONES =
            new Said(
                    UnreadableArguments.TOMBSTONES,
                    options -> {
                        Tombstones tombstones = options.messages.unreadable.tombstones();
                        return tombstones != null && tombstones.pass();
                    });
    private static final Said SUMMARY =
            new Said(TopicArguments.SUMMARY_TOPIC, options -> options.topics.summaryTopic != null);

    private static final Said LATEST =
            new Said(
                    TopicArguments.FROM + " latest",
                    options -> options.from().kind() == From.Kind.LATEST);
    private static final Said SEEN_FROM_OUTPUT =
            new Said(TopicArguments.SEEN_FROM_OUTPUT, options -> options.topics.seenFromOutput);

    /** With these, records of the output are not those of the input, or pass all the same. */
    private static final List<Said> UNLIKE_THE_OUTPUT =
            List.of(
                    KEEP_LAST,
                    TAG,
                    BY_ARRIVAL,
                    SUMMARY,
                    new Said(
                            ActionArguments.ON_DUPLICATE + " topic",
                            options -> options.actions.onDuplicate == OnDuplicate.TOPIC),
                    new Said(
                            "--limit",
                            options ->
                                    options.operator.isGiven(DeduplicateOptions.LIMIT)
                                            && options.operator.get(DeduplicateOptions.LIMIT) > 1),
                    new Said(
                            UnreadableArguments.TOMBSTONES + " forward",
                            options ->
                                    options.messages.unreadable.tombstones() == Tombstones.FORWARD),
                    new Said(
                            "--on-unreadable forward",
                            options ->
                                    options.messages.unreadable.onUnreadable()
                                            == UnreadableArguments.OnUnreadable.FORWARD),
                    new Said(
                            DedupOptions.ID + " topic",
                            options ->
                                    List.of(
                                                    MessageArguments.text(
                                                                    options.messages.idFields())
                                                            .split("[,|]"))
                                            .contains("topic")),
                    new Said(
                            OutputBrokerOptions.BOOTSTRAP_SERVERS,
                            options -> !options.outputBrokers().equals(options.brokers())));

    private static final Said AT_LEAST_ONCE =
            new Said(
                    DedupOptions.DELIVERY + " at-least-once",
                    options -> !options.writesInTransactions());
    private static final Said TRANSACTION_TIMEOUT =
            new Said(
                    JobArguments.TRANSACTION_TIMEOUT,
                    options -> !options.transactionTimeout.equals(Duration.ofMinutes(15)));
    private static final Said TRANSACTIONAL_ID_PREFIX =
            new Said(
                    KafkaJobOptions.TRANSACTIONAL_ID_PREFIX,
                    options ->
                            !options.transactionalIdPrefix()
                                    .equals(
                                            KafkaJobOptions.transactionalIdPrefix(
                                                    options.group(), options.outputTopic())));
    private static final Said ON_LOST_COMMIT =
            new Said(LostCommits.OPTION, options -> options.onLostCommit != OnLostCommit.REREAD);
    private static final Said BOUNDED =
            new Said(KafkaJobOptions.BOUNDED, options -> options.bounded);

    /** What the filters on disk have as well. */
    private static final Set<ConfigOption<?>> WITHOUT_A_WINDOW =
            Set.of(WindowedOptions.FALSE_POSITIVE_PROBABILITY, WindowedOptions.MEMORY);

    private static final List<Conflict> ALL = all();

    private DedupConflicts() {}

    private static List<Conflict> all() {
        List<Conflict> all = new ArrayList<>();
        all.add(noEffect(TIME, FOREVER));
        all.add(noEffect(ON_LATE, FOREVER));
        all.add(noEffect(UNIT, FOREVER));
        all.add(noEffect(DRIFT, FOREVER));
        all.add(noEffect(ON_LATE, BY_ARRIVAL));
        all.add(noEffect(UNIT, BY_ARRIVAL));
        all.add(noEffect(DRIFT, BY_ARRIVAL));
        all.add(new Conflict(ZONE, " has no effect where ", NO_FIELD, ": leave it out"));
        all.add(
                new Conflict(
                        SUMMARY,
                        " counts the duplicates of a window, and there is none with ",
                        FOREVER,
                        ": give " + DedupOptions.WITHIN + " instead"));
        all.add(
                new Conflict(
                        SUMMARY,
                        " counts duplicates that are suppressed, and none is with ",
                        TAG,
                        ": say 'drop' or 'topic', or leave it out"));
        all.add(
                new Conflict(
                        SUMMARY,
                        " tells how often an id was suppressed, and it would be one of a key with ",
                        TOMBSTONES,
                        ": leave one of them out"));
        all.add(
                new Conflict(
                        TAG,
                        " marks records that pass after their first, and none does with ",
                        KEEP_LAST,
                        ": say 'drop' or 'topic'"));
        all.add(noEffect(TRANSACTION_TIMEOUT, AT_LEAST_ONCE));
        all.add(noEffect(TRANSACTIONAL_ID_PREFIX, AT_LEAST_ONCE));
        all.add(noEffect(ON_LOST_COMMIT, AT_LEAST_ONCE));
        all.add(
                new Conflict(
                        LATEST,
                        " writes what comes after the start, and nothing does with ",
                        BOUNDED,
                        ": leave one of them out"));
        for (Said unlike : UNLIKE_THE_OUTPUT) {
            all.add(
                    new Conflict(
                            SEEN_FROM_OUTPUT,
                            " takes records of the output for those of the input, and drops what"
                                    + " is there again, which does not hold with ",
                            unlike,
                            ": leave one of them out"));
        }
        for (OperatorArgument<?> argument : FilterArguments.ALL) {
            Said filter =
                    new Said(
                            argument.name(),
                            options -> options.operator.isGiven(argument.option()));
            all.add(noEffect(filter, KEEP_LAST));
            if (!WITHOUT_A_WINDOW.contains(argument.option())) {
                all.add(noEffect(filter, FOREVER));
            }
        }
        return all;
    }

    private static Conflict noEffect(Said option, Said with) {
        return new Conflict(option, " has no effect with ", with, ": leave it out");
    }

    /**
     * Checks all of them.
     *
     * @throws IllegalArgumentException if two options contradict each other, or one would have no
     *     effect with another
     */
    static void check(DedupOptions options) {
        ALL.forEach(conflict -> conflict.check(options));
    }
}
