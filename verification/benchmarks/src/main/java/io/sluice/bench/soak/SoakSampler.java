/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.run.FolderSize;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;

/** Samples the process, its directories, and the jobs that run in it. */
final class SoakSampler {
    private static final double MEBIBYTE = 1 << 20;
    private static final String FLAGS = "." + SoakJob.STATE_NAME + ".";
    private static final String DEDUPLICATE = ".sluice.";

    /** A metric that is not there shows nothing, and not that nothing happened. */
    private static final double NOT_SEEN = -1;

    private final LocalFlink flink;
    private final Map<SoakJob, RunningJob> running;
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
            LocalFlink flink,
            Map<SoakJob, RunningJob> running,
            Path directory,
            Duration timeToLive) {
        this.flink = flink;
        this.running = running;
        this.directory = directory;
        this.arrivals = new SoakArrivals(timeToLive);
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
    void sample(long nanos) throws IOException {
        Map<SoakSeries, Double> sample = new EnumMap<>(SoakSeries.class);
        double seconds = (nanos - sampled) / 1e9;
        sampled = nanos;
        sample.put(SoakSeries.WINDOW_RATE, moved(SoakJob.WINDOW) / seconds);
        sample.put(SoakSeries.STATE_RATE, moved(SoakJob.STATE) / seconds);
        double held = sum(FLAGS + "entries");
        CompletedCheckpointStats window = lastCheckpoint(SoakJob.WINDOW);
        if (window != null) {
            sample.put(SoakSeries.WINDOW_CHECKPOINT, window.getStateSize() / MEBIBYTE);
            sample.put(SoakSeries.WINDOW_CHECKPOINT_TIME, (double) window.getEndToEndDuration());
        }
        FolderSize folder = FolderSize.of(checkpoints(directory, SoakJob.WINDOW));
        sample.put(SoakSeries.WINDOW_CHECKPOINT_FILES, (double) folder.files());
        sample.put(SoakSeries.WINDOW_CHECKPOINT_DISK, folder.bytes() / MEBIBYTE);
        sample.put(SoakSeries.WINDOW_HELD, sum(DEDUPLICATE + "idsHeld"));
        FolderSize working = FolderSize.of(flink.temporaryFiles());
        sample.put(SoakSeries.WORKING_FILES, (double) working.files());
        CompletedCheckpointStats state = lastCheckpoint(SoakJob.STATE);
        if (state != null) {
            double flags = state.getStateSize() / MEBIBYTE;
            sample.put(SoakSeries.STATE_CHECKPOINT, flags);
            sample.put(SoakSeries.STATE_CHECKPOINT_PER_ID, state.getStateSize() / held);
            sample.put(SoakSeries.STATE_CHECKPOINT_TIME, (double) state.getEndToEndDuration());
            sample.put(SoakSeries.WORKING_BESIDES_FLAGS, working.bytes() / MEBIBYTE - flags);
        }
        folder = FolderSize.of(checkpoints(directory, SoakJob.STATE));
        sample.put(SoakSeries.STATE_CHECKPOINT_FILES, (double) folder.files());
        sample.put(SoakSeries.STATE_CHECKPOINT_DISK_PER_ID, folder.bytes() / held);
        sample.put(SoakSeries.STATE_HELD, held);
        double came = arrivals.lately(nanos, SoakStage.of(SoakJob.STATE).position());
        sample.put(SoakSeries.STATE_HELD_PER_RECORD, held / came);
        sample.put(SoakSeries.METRICS, (double) flink.metrics().registered());
        sample.put(SoakSeries.MANAGED, sum(".Status.Flink.Memory.Managed.Used") / MEBIBYTE);
        ProcessProbe.addTo(sample);
        double heap = sample.get(SoakSeries.HEAP) - held / MEBIBYTE;
        sample.put(SoakSeries.HEAP_BESIDES_SUMMARIES, heap);
        // Between two attempts of a job, its metrics have no number.
        sample.values().removeIf(value -> !Double.isFinite(value));
        samples.add(Math.rint(nanos / 6e8) / 100, sample);
        forgotten = Math.max(forgotten, seen(FLAGS + "forgotten"));
        overflows = Math.max(overflows, seen(DEDUPLICATE + "overflows"));
    }

    private double sum(String metric) {
        return flink.metrics().sum(metric).orElse(0);
    }

    private double seen(String metric) {
        return flink.metrics().sum(metric).orElse(NOT_SEEN);
    }

    /** Records since the last sample; none while a restore has set the job back. */
    private long moved(SoakJob job) {
        long position = SoakStage.of(job).position();
        Long last = before.put(job, position);
        return Math.max(0, position - (last == null ? 0 : last));
    }

    /** Null before the first. */
    private CompletedCheckpointStats lastCheckpoint(SoakJob job) {
        CheckpointStatsSnapshot stats = running.get(job).statistics();
        checkpoints.put(job, stats.getCounts().getNumberOfCompletedCheckpoints());
        return stats.getHistory().getLatestCompletedCheckpoint();
    }
}
