/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.job.FilterArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary;
import io.sluice.job.JobSummary.Count;
import io.sluice.job.JobSummary.Covered;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.KafkaEnds;
import io.sluice.job.message.MessageSchema;
import io.sluice.job.reconcile.ReplicaArguments;
import io.sluice.kafka.pace.LagAwareSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;

/** The summary that {@link DedupJob} prints when it finishes. */
final class DedupSummary {
    private DedupSummary() {}

    static JobSummary of(DedupOptions options) {
        Map<String, String> written = new LinkedHashMap<>();
        written.put(DedupJob.OUTPUT_UID, options.outputTopic());
        if (options.actions.onDuplicate == ActionArguments.OnDuplicate.TOPIC) {
            written.put(DedupJob.DUPLICATES_UID, options.topics.duplicates());
        }
        if (options.actions.hasConflictsTopic()) {
            written.put(DedupJob.CONFLICTS_UID, options.topics.conflicts());
        }
        if (options.hasLateTopic()) {
            written.put(DedupJob.LATE_UID, options.topics.late());
        }
        if (options.topics.summaryTopic != null) {
            written.put(DedupJob.SUMMARY_UID, options.topics.summaryTopic);
        }
        if (options.agreement.areGiven()) {
            written.put(ReplicaArguments.REPORTS, options.agreement.reportsTopic(options));
        }
        written.put(KafkaEnds.DEAD_LETTERS, options.topics.deadLetters());
        List<Trouble> troubles = options.troubles();
        troubles.addAll(options.agreement.troubles());
        if (!options.isForever()) {
            troubles.add(new Trouble(DedupJob.OPERATOR, DeduplicateMetrics.LATE, late(options)));
        }
        if (options.isOnDisk() && !options.isProcessingTime()) {
            troubles.add(
                    new Trouble(
                            DedupJob.OPERATOR,
                            DeduplicateMetrics.UNDECIDED,
                            "records passed that may repeat others, which had left the window; give"
                                    + " more --out-of-orderness"));
        }
        if (!options.isOnDisk() && !options.keepsLast()) {
            troubles.addAll(
                    FilterArguments.troubles(
                            DedupJob.OPERATOR, options.operator, DedupOptions.WITHIN));
        }
        if (options.actions.onConflict != null) {
            troubles.add(
                    new Trouble(
                            DedupJob.OPERATOR,
                            DeduplicateMetrics.UNCOMPARED,
                            "duplicates could not be compared with a record that passed, since its"
                                    + " content is not held: it passed before --on-conflict was"
                                    + " given, or memory was short"));
        }
        troubles.add(
                new Trouble(
                        JobSummary.writer(DedupJob.OUTPUT_UID),
                        MessageSchema.REPARTITIONED,
                        "records are not in the partition of the same number, since topic '"
                                + options.outputTopic()
                                + "' had too few when the job started: add partitions and restart"
                                + " it, or use --partitioning key"));
        troubles.addAll(options.troublesOfDeadLetters(options.topics.deadLetters()));
        return new JobSummary(decided(options), covered(options), written, troubles);
    }

    private static List<Count> decided(DedupOptions options) {
        List<Count> decided = new ArrayList<>();
        boolean canBeLate = !options.isProcessingTime();
        boolean first = !options.keepsLast();
        if (!options.from().isEarliest()) {
            decided.add(
                    new Count(
                            "Source: " + options.source(),
                            LagAwareSource.REMEMBERED,
                            List.of(),
                            "of these before "
                                    + TopicArguments.FROM
                                    + ' '
                                    + options.from()
                                    + ": counted here, remembered and not written"));
        }
        decided.add(
                count(
                        DeduplicateMetrics.RECORDS,
                        canBeLate
                                ? List.of(DeduplicateMetrics.DUPLICATES, DeduplicateMetrics.LATE)
                                : List.of(DeduplicateMetrics.DUPLICATES),
                        first ? "firsts" : "lasts"));
        decided.add(
                count(
                        DeduplicateMetrics.DUPLICATES,
                        List.of(),
                        "duplicates (" + text(options.actions.onDuplicate) + ")"));
        if (options.actions.onConflict != null) {
            decided.add(
                    count(
                            DeduplicateMetrics.CONFLICTS,
                            List.of(),
                            "conflicts among the duplicates ("
                                    + text(options.actions.onConflict)
                                    + ")"));
        }
        if (canBeLate) {
            decided.add(
                    count(
                            DeduplicateMetrics.LATE,
                            List.of(),
                            "late (" + text(options.actions.onLate) + ")"));
        }
        if (canBeLate && first) {
            decided.add(
                    count(
                            DeduplicateMetrics.FUTURE,
                            List.of(),
                            "with a time too far ahead (--max-ahead)"));
        }
        return decided;
    }

    private static Count count(String metric, List<String> without, String text) {
        return new Count(DedupJob.OPERATOR, metric, without, text);
    }

    @Nullable
    private static Covered covered(DedupOptions options) {
        boolean hasNoWindow = options.isForever() || options.keepsLast();
        return hasNoWindow || (options.isOnDisk() && options.isProcessingTime())
                ? null
                : new Covered(
                        DedupJob.OPERATOR,
                        DeduplicateMetrics.COVERED_MILLIS,
                        DeduplicateMetrics.WINDOW_MILLIS);
    }

    private static String text(Enum<?> action) {
        return action.name().toLowerCase(Locale.ROOT);
    }

    private static String late(DedupOptions options) {
        String reason =
                !options.keepsLast()
                        ? "records were older than what the filters cover, so nobody can say"
                                + " whether they are duplicates ("
                        : "records came after their windows had ended (";
        return reason
                + text(options.actions.onLate)
                + "): raise --within ("
                + JobArguments.text(options.window())
                + "), or --out-of-orderness ("
                + JobArguments.text(options.times.outOfOrderness)
                + ") if they are out of order within a partition; if their clocks are wrong, and"
                + " duplicates arrive close to each other, --time processing";
    }
}
