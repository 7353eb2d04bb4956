/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Map;

/**
 * The result of {@code sluice demo}: the contents of {@code report.json}, whose field names are
 * stable. Shares and probabilities are in [0, 1], times in milliseconds or seconds as named.
 */
public record DemoReport(
        Input input,
        Dedup dedup,
        Counters counters,
        Flows flows,
        Kbf kbf,
        Throughput throughput,
        CheckpointTotals checkpoint,
        Failures failures,
        Settings settings,
        Series series,
        String verdict) {

    /** {@link #verdict} of a run that kept every promise; anything else is the reason. */
    public static final String OK = "ok";

    /** Whether the run kept every promise. */
    @JsonIgnore
    public boolean isOk() {
        return verdict.equals(OK);
    }

    /**
     * What was sent.
     *
     * @param capture the file, or how it was generated
     * @param packets packets in the capture
     * @param skipped packets among them that are not IP
     * @param operations packets to be counted, each once
     * @param records records sent to the topic: operations, their retries and malformed ones
     * @param injectedDuplicates retries among them, all within the window
     * @param malformed records among them that are not ours
     * @param captureSeconds from the first to the last capture time
     */
    public record Input(
            String capture,
            long packets,
            long skipped,
            long operations,
            long records,
            long injectedDuplicates,
            long malformed,
            double captureSeconds) {}

    /**
     * What became of every send, decided per operation id from the truth and the committed
     * duplicates.
     *
     * @param passed sends that were counted
     * @param dropped sends that went to the topic of duplicates
     * @param falsePositives operations of which every send was dropped
     * @param falsePositivesBound a filter that keeps its promised probability exceeds this only
     *     with probability 0.001
     * @param missedDuplicates sends that were counted although their operation had already been
     *     counted; must be 0
     * @param late sends that went to the topic of late operations
     * @param deadLetters records on the dead-letter topic
     * @param configuredFpp promised probability of a false positive
     * @param predictedFpp what the filters predicted, in the mean over all operations
     * @param measuredFpp false positives per operation
     */
    public record Dedup(
            long passed,
            long dropped,
            long falsePositives,
            long falsePositivesBound,
            long missedDuplicates,
            long late,
            long deadLetters,
            double configuredFpp,
            double predictedFpp,
            double measuredFpp) {}

    /**
     * The counters' last committed values, added up.
     *
     * @param countBy {@code source} or {@code service}
     * @param count how many counters there are
     * @param exact the truth
     * @param withFilter of the idempotent counters
     * @param withoutFilter of counters of the same job that count every record
     * @param errorWithFilter relative to the truth, signed
     * @param errorWithoutFilter likewise
     * @param expectedUndercount what the counters expect to lack
     * @param wrong counters that differ from the truth by anything but their false positives
     */
    public record Counters(
            String countBy,
            int count,
            long exact,
            long withFilter,
            long withoutFilter,
            double errorWithFilter,
            double errorWithoutFilter,
            double expectedUndercount,
            long wrong) {}

    /**
     * The TCP flows, followed with the exact store.
     *
     * @param packets of TCP that were followed
     * @param total flows that were reported as over, each once
     * @param truth flows that the generator made; -1 for a given capture
     * @param reportedTwice must be 0
     * @param byState flows by their end, or by their state when they timed out
     * @param timedOut flows among them that timed out
     * @param alerts by kind: flows with FIN and RST, packets with illegal flags
     * @param series over capture time
     */
    public record Flows(
            long packets,
            long total,
            long truth,
            long reportedTwice,
            Map<String, Long> byState,
            long timedOut,
            Map<String, Long> alerts,
            FlowSeries series) {}

    /**
     * How many flows there are, and how much memory a store takes for each; all lists are equally
     * long. Measured with one store for all flows, whereas the job has one per key group.
     *
     * @param seconds since the first packet of the capture
     * @param open flows that have not ended
     * @param held flows, including ended ones that are still held
     * @param exactBits bytes of the exact store in bits, for each flow held
     * @param kbfBits the same for the key-value filters
     */
    public record FlowSeries(
            List<Double> seconds,
            List<Long> open,
            List<Long> held,
            List<Double> exactBits,
            List<Double> kbfBits) {}

    /**
     * The same flows, followed with the key-value filter.
     *
     * @param errors flows whose end was missing, different, or reported although there was none
     * @param errorsBound a filter with the predicted error exceeds this once in millions of runs
     * @param ambiguous packets whose flow's state could not be told
     * @param bitsPerFlow of a full filter
     * @param byState flows by their end, from the records, or by their state when they timed out,
     *     from the metrics
     */
    public record Kbf(
            long errors,
            long errorsBound,
            long ambiguous,
            double bitsPerFlow,
            Map<String, Long> byState) {}

    /**
     * How fast the job was.
     *
     * @param recordsPerSecond records read while the job drained a backlog, from the last check
     *     that saw none read to the end of the backlog, including JIT warm-up
     * @param backlogRecords how many records that was
     * @param peakRecordsPerSecond the fastest half second of the run
     * @param replayRecordsPerSecond how fast the capture was sent before the job ran
     */
    public record Throughput(
            double recordsPerSecond,
            long backlogRecords,
            double peakRecordsPerSecond,
            double replayRecordsPerSecond) {}

    /**
     * Completed checkpoints, savepoints included.
     *
     * @param bytes of all of them
     * @param millis mean duration
     * @param maxMillis the slowest
     * @param savepoints how many of them were savepoints
     */
    public record CheckpointTotals(
            int count, long bytes, double millis, long maxMillis, int savepoints) {}

    /**
     * What was done to the job during the run.
     *
     * @param injected TaskManagers that were taken away while the job ran
     * @param recovered restarts from a completed checkpoint that followed
     * @param repeatedRecords records that had to be read again
     * @param rescaled restarts from a savepoint with another parallelism
     * @param parallelism before and after
     */
    public record Failures(
            int injected,
            long recovered,
            long repeatedRecords,
            int rescaled,
            List<Integer> parallelism) {}

    /** The options of the run. Durations in milliseconds. */
    public record Settings(
            long seed,
            boolean filter,
            double retryShare,
            long windowMillis,
            long emitEveryMillis,
            long checkpointIntervalMillis) {}

    /**
     * The plots' data.
     *
     * @param total all counters together over capture time
     * @param largest the counter with the largest true value
     * @param largestName its name
     * @param progress over the time of the run
     * @param checkpoints in their order
     * @param events what was done to the job, and when
     */
    public record Series(
            CounterSeries total,
            CounterSeries largest,
            String largestName,
            List<ProgressPoint> progress,
            List<CheckpointPoint> checkpoints,
            List<Event> events) {}

    /**
     * A counter over capture time; all lists are equally long.
     *
     * @param seconds end of each interval, since the first packet
     * @param truth its true value then
     * @param withFilter the value of the idempotent counter
     * @param withoutFilter the value of the counter without a filter
     * @param predictedFpp for the operations up to then, predicted by the filters
     * @param measuredFpp for the operations up to then, as measured
     */
    public record CounterSeries(
            List<Double> seconds,
            List<Long> truth,
            List<Long> withFilter,
            List<Long> withoutFilter,
            List<Double> predictedFpp,
            List<Double> measuredFpp) {}

    /**
     * The job's progress at some time of the run.
     *
     * @param seconds since the job was started
     * @param records read so far, including repeated ones
     * @param recordsPerSecond since the previous point
     */
    public record ProgressPoint(double seconds, long records, double recordsPerSecond) {}

    /**
     * A completed checkpoint.
     *
     * @param seconds since the job was started
     * @param millis how long it took
     * @param bytes what was written
     * @param savepoint whether it was a savepoint
     */
    public record CheckpointPoint(double seconds, long millis, long bytes, boolean savepoint) {}

    /**
     * Something that was done to the job.
     *
     * @param seconds since the job was started
     * @param name short, for a mark in a plot
     */
    public record Event(double seconds, String name) {}
}
