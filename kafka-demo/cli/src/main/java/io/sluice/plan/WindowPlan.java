/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.flink.OptionRange;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.dedup.SizingCheck;
import java.time.Duration;
import java.util.List;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.MemorySize;

/**
 * What {@code Deduplicate} or {@code IdempotentCounters} take with certain options, or what fits
 * into their memory. The component names are those of the JSON form.
 *
 * @param version of the JSON form
 * @param engine always {@value #ENGINE}
 * @param found what was found; all else was given or is a default
 * @param fits whether the filters of a subtask fit into its memory
 * @param idsPerSecond new ids of the whole stream
 * @param windowMillis the guaranteed window
 * @param falsePositiveProbability of dropping a first occurrence
 * @param maxFalsePositiveProbability what that may rise to before the oldest ids are forgotten
 *     early
 * @param layout of the filters
 * @param parallelism subtasks
 * @param maxParallelism key groups
 * @param memoryBytes the cap on the filters of one subtask
 * @param neededBytes of it, by the subtask with the most key groups
 * @param smallestBytes what the smallest filters of its key groups take, even beyond the cap
 * @param madeAtOnce whether the cap lets filters be made at full size when they begin
 * @param totalBytes needed by all subtasks together
 * @param checkpointBytes of all subtasks; each checkpoint is a full one
 * @param bytesPerId memory for each id in the window
 * @param falseDropsPerDay first occurrences that are dropped, on average, at most
 * @param coreNanosPerRecord processor time of one record, from source to sink, that {@code cores}
 *     assumes
 * @param cores that the stream takes at that
 * @param options to give to the builder of a job, as a command line
 */
@Internal
public record WindowPlan(
        int version,
        String engine,
        Find found,
        boolean fits,
        long idsPerSecond,
        long windowMillis,
        double falsePositiveProbability,
        double maxFalsePositiveProbability,
        String layout,
        int parallelism,
        int maxParallelism,
        long memoryBytes,
        long neededBytes,
        long smallestBytes,
        boolean madeAtOnce,
        double totalBytes,
        long checkpointBytes,
        double bytesPerId,
        double falseDropsPerDay,
        double coreNanosPerRecord,
        double cores,
        List<String> options)
        implements Plan {

    /** The value of {@code engine}. */
    public static final String ENGINE = "operator";

    /**
     * Processor time of a record with an id of 36 characters, measured in a whole job:
     * docs/benchmarks/operators.md. Other machines, ids and sources take other times.
     */
    public static final double CORE_NANOS_PER_RECORD = 450;

    static final int VERSION = 1;

    private static final long MEBIBYTE = 1 << 20;

    private static final double SECONDS_PER_DAY = 86_400;

    private static final double NANOS_PER_SECOND = 1e9;

    public WindowPlan {
        options = List.copyOf(options);
    }

    @Override
    public List<Line> lines() {
        return PlanLines.of(this);
    }

    /**
     * Finds what is asked for.
     *
     * @param given all options; what is to be found is ignored, but must be in its range
     * @param find one of the options of a window, or nothing
     * @param recordsPerSecond of the whole stream, duplicates included; 0: as many as new ids
     * @param coreNanosPerRecord see {@link #CORE_NANOS_PER_RECORD}
     * @throws IllegalArgumentException if there is no such value
     */
    public static WindowPlan find(
            WindowSettings given,
            int parallelism,
            int maxParallelism,
            Find find,
            double recordsPerSecond,
            double coreNanosPerRecord) {
        SizingCheck check = new SizingCheck(given, parallelism, maxParallelism);
        SizingCheck found =
                switch (find) {
                    case NOTHING -> check;
                    case MEMORY -> with(check, withMemory(given, memoryFor(check)));
                    case WINDOW ->
                            with(check, withWindow(given, some(check.windowMillisThatFits())));
                    case RATE -> with(check, withRate(given, some(check.idsPerSecondThatFit())));
                    case FPP ->
                            with(
                                    check,
                                    given.withFpp(
                                            check.fppThatFits()
                                                    .orElseThrow(WindowPlan::nothingFits)));
                    case PARALLELISM ->
                            new SizingCheck(
                                    given,
                                    check.parallelismThatFits()
                                            .orElseThrow(WindowPlan::nothingFits),
                                    maxParallelism);
                    case KEYS ->
                            throw new IllegalArgumentException(
                                    "find must be something that a window has, but is KEYS");
                };
        return of(found, find, recordsPerSecond, coreNanosPerRecord);
    }

    private static WindowPlan of(
            SizingCheck check, Find find, double recordsPerSecond, double coreNanosPerRecord) {
        WindowSettings settings = check.settings();
        WindowOptions options = settings.windowOptions(check.maxParallelism());
        double one = (double) check.bytesNeeded() / check.keyGroups();
        double total = one * check.maxParallelism();
        double idsPerWindow = settings.idsPerSecond() * (settings.windowMillis() / 1e3);
        double records = recordsPerSecond > 0 ? recordsPerSecond : settings.idsPerSecond();
        return new WindowPlan(
                VERSION,
                ENGINE,
                find,
                check.fits(),
                settings.idsPerSecond(),
                settings.windowMillis(),
                settings.fpp(),
                maxFpp(settings),
                options.layout().name(),
                check.parallelism(),
                check.maxParallelism(),
                check.bytesGiven(),
                check.bytesNeeded(),
                check.leastBytes(),
                check.fitsAtOnce(),
                total,
                check.checkpointBytes(),
                total / Math.max(1, idsPerWindow),
                settings.fpp() * settings.idsPerSecond() * SECONDS_PER_DAY,
                coreNanosPerRecord,
                records * coreNanosPerRecord / NANOS_PER_SECOND,
                List.of(
                        "--within",
                        // Without the space it is one word of a command line.
                        OptionRange.text(settings.window()).replace(" ", ""),
                        "--fpp",
                        Double.toString(settings.fpp()),
                        "--expecting",
                        Long.toString(settings.idsPerSecond()),
                        "--memory",
                        inMebibytes(settings.memory())));
    }

    /** The options of a filter have a part of it where several lookups share it. */
    private static double maxFpp(WindowSettings settings) {
        return settings.maxFpp() == null
                ? WindowOptions.defaultMaxFpp(settings.fpp())
                : settings.maxFpp();
    }

    /** The least cap, in whole mebibytes as it is usually written. */
    private static MemorySize memoryFor(SizingCheck check) {
        long needed = check.bytesNeeded();
        if (needed > Long.MAX_VALUE - MEBIBYTE) {
            throw nothingFits();
        }
        long rounded = (needed + MEBIBYTE - 1) / MEBIBYTE * MEBIBYTE;
        return new MemorySize(Math.max(WindowSettings.MIN_MEMORY.getBytes(), rounded));
    }

    private static long some(long found) {
        if (found < 1) {
            throw nothingFits();
        }
        return found;
    }

    private static IllegalArgumentException nothingFits() {
        return new IllegalArgumentException(
                "nothing fits with these numbers: give more memory or a higher parallelism, fewer"
                        + " ids, a shorter window or a greater probability");
    }

    private static String inMebibytes(MemorySize memory) {
        return memory.getBytes() % MEBIBYTE == 0
                ? memory.getBytes() / MEBIBYTE + "mb"
                : memory.getBytes() + "b";
    }

    private static SizingCheck with(SizingCheck check, WindowSettings settings) {
        return new SizingCheck(settings, check.parallelism(), check.maxParallelism());
    }

    private static WindowSettings withMemory(WindowSettings of, MemorySize memory) {
        return changed(of, of.window(), of.idsPerSecond(), memory);
    }

    private static WindowSettings withWindow(WindowSettings of, long millis) {
        return changed(of, Duration.ofMillis(millis), of.idsPerSecond(), of.memory());
    }

    private static WindowSettings withRate(WindowSettings of, long idsPerSecond) {
        return changed(of, of.window(), idsPerSecond, of.memory());
    }

    private static WindowSettings changed(
            WindowSettings of, Duration window, long idsPerSecond, MemorySize memory) {
        return new WindowSettings(
                window,
                of.fpp(),
                idsPerSecond,
                memory,
                of.overflow(),
                of.timeDomain(),
                of.forgetDuringDowntime(),
                of.shadowIds(),
                of.maxFuture(),
                of.resetClock(),
                of.maxFpp(),
                of.layout(),
                of.contents());
    }
}
