/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.flink.testkit.local.Checkpoint;
import io.sluice.record.CounterKind;
import io.sluice.replay.Truth;
import io.sluice.replay.TruthSummary;
import io.sluice.report.DemoReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** What the job committed, read and judged; becomes the report. */
final class Results {
    static final String COUNTERS = "counters";
    static final String UNFILTERED = "counters-unfiltered";
    static final String DUPLICATES = "duplicates";
    static final String LATE = "late";
    static final String DEAD_LETTERS = "dead-letters";

    private static final int INTERVALS = 120;

    /** More false positives than this tail allows break the filter's promise. */
    private static final double TAIL = 0.001;

    private final DemoOptions options;
    private final CaptureSurvey survey;
    private final Truth truth;
    private final Timeline time;
    private final String watched;
    private final Judge judge;
    private final CounterHistory filtered;
    private final CounterHistory unfiltered;
    private final OperationIds duplicates;
    private final OperationIds late;
    private long deadLetters;

    private Results(DemoOptions options, CaptureSurvey survey, Truth truth) throws IOException {
        this.options = options;
        this.survey = survey;
        this.truth = truth;
        CounterKind kind = options.countBy();
        TruthSummary summary = truth.summary();
        time = new Timeline(survey.firstMillis(), survey.lastMillis(), INTERVALS);
        watched = kind.format(Judge.largestCounter(truth.counters(kind)));
        judge = new Judge(kind, truth, time);
        filtered = new CounterHistory(time, watched);
        unfiltered = new CounterHistory(time, watched);
        duplicates = new OperationIds(summary.firstOperationId(), summary.operations());
        late = new OperationIds(summary.firstOperationId(), summary.operations());
    }

    /** Reads all topics and judges what is in them. */
    static Results read(
            String bootstrapServers,
            DemoOptions options,
            Path capture,
            CaptureSurvey survey,
            Truth truth)
            throws IOException {
        Results results = new Results(options, survey, truth);
        CommittedTopic.read(bootstrapServers, COUNTERS, results.filtered::accept);
        CommittedTopic.read(bootstrapServers, UNFILTERED, results.unfiltered::accept);
        CommittedTopic.read(bootstrapServers, DUPLICATES, results.duplicates::accept);
        CommittedTopic.read(bootstrapServers, LATE, results.late::accept);
        results.deadLetters = CommittedTopic.read(bootstrapServers, DEAD_LETTERS, record -> {});
        results.judge.judgeOperations(
                capture,
                results.duplicates,
                results.late,
                Judge.largestCounter(truth.counters(options.countBy())));
        results.judge.judgeCounters(results.filtered.values(), results.unfiltered.values());
        return results;
    }

    DemoReport report(
            DemoReport.Settings settings,
            Pipeline.Outcome outcome,
            FlowsCourse.Outcome flows,
            ProgressLog progress) {
        TruthSummary sent = truth.summary();
        long exact = sent.operationsSent();
        long bound = PoissonBound.upper(exact * options.fpp(), TAIL);
        List<String> complaints = judge.complaints(options.filter(), deadLetters, bound);
        if (outcome.recovered() < 1) {
            complaints.add("the job did not recover from a checkpoint");
        }
        complaints.addAll(flows.complaints());
        return new DemoReport(
                new DemoReport.Input(
                        options.capture()
                                .map(path -> path.getFileName().toString())
                                .orElse("generated capture"),
                        sent.packets(),
                        sent.skipped(),
                        sent.operations(),
                        sent.recordsOnTopic(),
                        sent.retriesWithinWindow(),
                        sent.malformedRecords(),
                        survey.seconds()),
                new DemoReport.Dedup(
                        judge.counted(),
                        duplicates.total(),
                        judge.falsePositives(),
                        bound,
                        judge.missedDuplicates(),
                        late.total(),
                        deadLetters,
                        options.fpp(),
                        share(judge.expectedUndercount(), exact),
                        share((double) judge.falsePositives(), exact)),
                new DemoReport.Counters(
                        options.countBy().code(),
                        truth.counters(options.countBy()).size(),
                        exact,
                        judge.withFilter(),
                        judge.withoutFilter(),
                        share((double) (judge.withFilter() - exact), exact),
                        share((double) (judge.withoutFilter() - exact), exact),
                        judge.expectedUndercount(),
                        judge.wrongCounters()),
                flows.flows(),
                flows.kbf(),
                new DemoReport.Throughput(
                        outcome.backlogRecords() / outcome.backlogSeconds(),
                        outcome.backlogRecords(),
                        progress.peak(),
                        outcome.replayRecordsPerSecond()),
                checkpointTotals(outcome.checkpoints()),
                new DemoReport.Failures(
                        1,
                        outcome.recovered(),
                        outcome.repeatedRecords(),
                        1,
                        List.of(options.parallelism(), options.rescaledParallelism())),
                settings,
                series(outcome, progress),
                complaints.isEmpty() ? DemoReport.OK : String.join("; ", complaints));
    }

    private static double share(double part, long whole) {
        return whole == 0 ? 0 : part / whole;
    }

    private static DemoReport.CheckpointTotals checkpointTotals(List<Checkpoint> checkpoints) {
        return new DemoReport.CheckpointTotals(
                checkpoints.size(),
                checkpoints.stream().mapToLong(Checkpoint::bytes).sum(),
                checkpoints.stream().mapToLong(Checkpoint::durationMillis).average().orElse(0),
                checkpoints.stream().mapToLong(Checkpoint::durationMillis).max().orElse(0),
                (int) checkpoints.stream().filter(Checkpoint::savepoint).count());
    }

    private DemoReport.Series series(Pipeline.Outcome outcome, ProgressLog progress) {
        double[] operations = judge.operationsOverTime();
        double[] falsePositives = judge.falsePositivesOverTime();
        double[] undercount = filtered.undercount();
        double[] predicted = new double[INTERVALS];
        double[] measured = new double[INTERVALS];
        for (int i = 0; i < INTERVALS; i++) {
            long so = Math.round(operations[i]);
            predicted[i] = share(undercount[i], so);
            measured[i] = share(falsePositives[i], so);
        }
        return new DemoReport.Series(
                new DemoReport.CounterSeries(
                        list(time.seconds()),
                        rounded(operations),
                        rounded(filtered.total()),
                        rounded(unfiltered.total()),
                        list(predicted),
                        list(measured)),
                new DemoReport.CounterSeries(
                        list(time.seconds()),
                        rounded(judge.watchedOverTime()),
                        rounded(filtered.watched()),
                        rounded(unfiltered.watched()),
                        List.of(),
                        List.of()),
                watched,
                progress.points(),
                outcome.checkpoints().stream()
                        .map(
                                c ->
                                        new DemoReport.CheckpointPoint(
                                                progress.secondsAt(c.triggeredMillis()),
                                                c.durationMillis(),
                                                c.bytes(),
                                                c.savepoint()))
                        .toList(),
                progress.events());
    }

    private static List<Double> list(double[] values) {
        return Arrays.stream(values).boxed().toList();
    }

    private static List<Long> rounded(double[] values) {
        return Arrays.stream(values).mapToObj(Math::round).toList();
    }
}
