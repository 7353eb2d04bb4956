/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.minicluster.MiniCluster;

/** Samples the process, its directories, and the jobs that run in it. */
final class SoakSampler {
    private static final double MEBIBYTE = 1 << 20;
    private static final String FLAGS = "." + SoakJob.STATE_NAME + ".";
    private static final String DEDUPLICATE = ".sluice.";

    /** A metric that is not there shows nothing, and not that nothing happened. */
    private static final double NOT_SEEN = -1;

    private final MiniCluster cluster;
    private final Map<SoakJob, JobID> running;
    private final Path directory;
    private final SoakArrivals arrivals;
    private final SoakSamples samples = new SoakSamples();
    private final Map<SoakJob, Long> before = new EnumMap<>(SoakJob.class);
    private final Map<SoakJob, Long> checkpoints = new EnumMap<>(SoakJob.class);
    private long sampled;
    private double forgotten = NOT_SEEN;
    private double overflows = NOT_SEEN;

    /**
     * @param timeToLive of a flag
     */
    SoakSampler(
            MiniCluster cluster, Map<SoakJob, JobID> running, Path directory, Duration timeToLive) {
        this.cluster = cluster;
        this.running = running;
        this.directory = directory;
        this.arrivals = new SoakArrivals(timeToLive);
    }

    /** What the cluster has as its local disk. */
    static Path working(Path directory) {
        return directory.resolve("local");
    }

    static Path checkpoints(Path directory, SoakJob job) {
        return directory.resolve("checkpoints-" + job.id());
    }

    SoakSamples samples() {
        return samples;
    }

    /** How many have been completed. */
    long checkpoints(SoakJob job) {
        return checkpoints.getOrDefault(job, 0L);
    }

    /** The most that the flags' metric showed; negative if there was none. */
    double forgotten() {
        return forgotten;
    }

    /** The most that the metric of {@link SoakJob#WINDOW} showed; negative if there was none. */
    double overflows() {
        return overflows;
    }

    /**
     * Takes one.
     *
     * @param nanos since the start
     */
    void sample(long nanos) throws Exception {
        Map<SoakSeries, Double> sample = new EnumMap<>(SoakSeries.class);
        double seconds = (nanos - sampled) / 1e9;
        sampled = nanos;
        sample.put(SoakSeries.WINDOW_RATE, moved(SoakJob.WINDOW) / seconds);
        sample.put(SoakSeries.STATE_RATE, moved(SoakJob.STATE) / seconds);
        double held = SoakMetrics.sum(FLAGS + "entries");
        window(sample);
        state(sample, held);
        double came = arrivals.lately(nanos, SoakStage.of(SoakJob.STATE).position());
        sample.put(SoakSeries.STATE_HELD_PER_RECORD, held / came);
        FolderSize working = FolderSize.of(working(directory));
        sample.put(SoakSeries.WORKING_FILES, (double) working.files());
        Double flags = sample.get(SoakSeries.STATE_CHECKPOINT);
        if (flags != null) {
            sample.put(SoakSeries.WORKING_BESIDES_FLAGS, working.bytes() / MEBIBYTE - flags);
        }
        sample.put(SoakSeries.METRICS, (double) SoakMetrics.registered());
        sample.put(
                SoakSeries.MANAGED,
                SoakMetrics.sum(".Status.Flink.Memory.Managed.Used") / MEBIBYTE);
        ProcessProbe.addTo(sample);
        sample.put(
                SoakSeries.HEAP_BESIDES_SUMMARIES, sample.get(SoakSeries.HEAP) - held / MEBIBYTE);
        // Between two attempts of a job, its metrics have no number.
        sample.values().removeIf(value -> !Double.isFinite(value));
        samples.add(Math.rint(nanos / 6e8) / 100, sample);
        forgotten = Math.max(forgotten, shown(FLAGS + "forgotten"));
        overflows = Math.max(overflows, shown(DEDUPLICATE + "overflows"));
    }

    private static double shown(String metric) {
        return SoakMetrics.has(metric) ? SoakMetrics.sum(metric) : NOT_SEEN;
    }

    /** Records since the last sample; none while a restore has set the job back. */
    private long moved(SoakJob job) {
        long position = SoakStage.of(job).position();
        Long last = before.put(job, position);
        return Math.max(0, position - (last == null ? 0 : last));
    }

    private void window(Map<SoakSeries, Double> sample) throws Exception {
        CompletedCheckpointStats last = lastCheckpoint(SoakJob.WINDOW);
        if (last != null) {
            sample.put(SoakSeries.WINDOW_CHECKPOINT, last.getStateSize() / MEBIBYTE);
            sample.put(SoakSeries.WINDOW_CHECKPOINT_TIME, (double) last.getEndToEndDuration());
        }
        FolderSize folder = folder(SoakJob.WINDOW);
        sample.put(SoakSeries.WINDOW_CHECKPOINT_FILES, (double) folder.files());
        sample.put(SoakSeries.WINDOW_CHECKPOINT_DISK, folder.bytes() / MEBIBYTE);
        sample.put(SoakSeries.WINDOW_HELD, SoakMetrics.sum(DEDUPLICATE + "idsHeld"));
    }

    private void state(Map<SoakSeries, Double> sample, double held) throws Exception {
        CompletedCheckpointStats last = lastCheckpoint(SoakJob.STATE);
        if (last != null) {
            sample.put(SoakSeries.STATE_CHECKPOINT, last.getStateSize() / MEBIBYTE);
            sample.put(SoakSeries.STATE_CHECKPOINT_PER_ID, last.getStateSize() / held);
            sample.put(SoakSeries.STATE_CHECKPOINT_TIME, (double) last.getEndToEndDuration());
        }
        FolderSize folder = folder(SoakJob.STATE);
        sample.put(SoakSeries.STATE_CHECKPOINT_FILES, (double) folder.files());
        sample.put(SoakSeries.STATE_CHECKPOINT_DISK_PER_ID, folder.bytes() / held);
        sample.put(SoakSeries.STATE_HELD, held);
    }

    private FolderSize folder(SoakJob job) throws IOException {
        return FolderSize.of(checkpoints(directory, job));
    }

    /** Null before the first. */
    private CompletedCheckpointStats lastCheckpoint(SoakJob job) throws Exception {
        CheckpointStatsSnapshot stats =
                SoakRun.await(cluster.getExecutionGraph(running.get(job)))
                        .getCheckpointStatsSnapshot();
        checkpoints.put(job, stats.getCounts().getNumberOfCompletedCheckpoints());
        return stats.getHistory().getLatestCompletedCheckpoint();
    }
}
