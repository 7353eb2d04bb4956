/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.sample.IdSample;
import io.sluice.flink.WindowSettings;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.LongUnaryOperator;
import org.apache.flink.annotation.Internal;

/**
 * Whether the filters of a subtask fit into its memory, by the user's own numbers: rate, window and
 * probability. Pure; {@link SizingWarning} tells the user.
 *
 * <p>The check only warns. At construction the parallelism is a guess: it may be set on the
 * operator later, and scaling in must not stop a job from its own checkpoint. A filter of one key
 * group always fits, thanks to {@link WindowSettings#MIN_MEMORY}; so at construction no maximum
 * parallelism is certain to fail.
 *
 * @param settings what was asked for
 * @param parallelism subtasks, at least 1
 * @param maxParallelism key groups, at least as many as subtasks
 */
@Internal
public record SizingCheck(WindowSettings settings, int parallelism, int maxParallelism) {

    private static final double FPP_ACCURACY = 1e-3;

    /** A sample keeps ids for this many windows, see {@link IdSample}. */
    private static final double SAMPLED_WINDOWS = 3;

    private static final int SAMPLE_ENTRY_BYTES = 2 * Long.BYTES;

    public SizingCheck {
        requireNonNull(settings, "settings");
        if (parallelism < 1 || maxParallelism < parallelism) {
            throw new IllegalArgumentException(
                    "parallelism must be from 1 to the maximum parallelism, but is "
                            + parallelism
                            + " of "
                            + maxParallelism);
        }
    }

    /** Key groups of the subtask that has the most. */
    public int keyGroups() {
        return (maxParallelism + parallelism - 1) / parallelism;
    }

    /**
     * Bytes of the filters for the expected ids, in the subtask that has the most key groups. O(1);
     * {@code Long.MAX_VALUE} if there is no such number.
     */
    public long bytesNeeded() {
        return bytes((double) settings.idsPerWindowAndKeyGroup(maxParallelism));
    }

    /** Bytes of the smallest filters, which key groups with ids get even beyond the memory. */
    public long leastBytes() {
        return ForgetfulFilter.leastBytes(settings.windowOptions(maxParallelism)) * keyGroups();
    }

    /** Bytes that the subtask has. */
    public long bytesGiven() {
        return settings.memory().getBytes();
    }

    public boolean fits() {
        return bytesNeeded() <= bytesGiven();
    }

    /**
     * Returns the longest window, in ms, that fits with this rate and probability; 0 if none does.
     */
    public long windowMillisThatFits() {
        double idsPerMilli = settings.idsPerSecond() / 1e3 / maxParallelism;
        return largest(WindowSettings.MAX_WINDOW.toMillis(), millis -> bytes(millis * idsPerMilli));
    }

    /**
     * Returns the most new ids a second that fit with this window and probability; 0 if not even
     * one.
     */
    public long idsPerSecondThatFit() {
        double idsPerRate = settings.windowMillis() / 1e3 / maxParallelism;
        return largest(Long.MAX_VALUE / 2, rate -> bytes(rate * idsPerRate));
    }

    /**
     * Returns the least probability that fits with this rate and window, to a thousandth of itself;
     * empty if none does.
     */
    public OptionalDouble fppThatFits() {
        if (fitsWith(WindowOptions.MIN_FPP)) {
            return OptionalDouble.of(WindowOptions.MIN_FPP);
        }
        if (!fitsWith(WindowSettings.MAX_FPP)) {
            return OptionalDouble.empty();
        }
        double tooSmall = WindowOptions.MIN_FPP;
        double fits = WindowSettings.MAX_FPP;
        while (fits / tooSmall > 1 + FPP_ACCURACY) {
            double middle = Math.sqrt(tooSmall * fits);
            if (fitsWith(middle)) {
                fits = middle;
            } else {
                tooSmall = middle;
            }
        }
        return OptionalDouble.of(fits);
    }

    private boolean fitsWith(double fpp) {
        return new SizingCheck(settings.withFpp(fpp), parallelism, maxParallelism).fits();
    }

    /**
     * Returns the fewest subtasks that the key groups can be shared out to so that rate, window and
     * probability fit; empty if one subtask for each key group is not enough.
     */
    public OptionalInt parallelismThatFits() {
        int fits = maxParallelism;
        if (!new SizingCheck(settings, fits, maxParallelism).fits()) {
            return OptionalInt.empty();
        }
        int tooFew = 0;
        while (fits - tooFew > 1) {
            int middle = (tooFew + fits) / 2;
            if (new SizingCheck(settings, middle, maxParallelism).fits()) {
                fits = middle;
            } else {
                tooFew = middle;
            }
        }
        return OptionalInt.of(fits);
    }

    /**
     * Bytes of all filters, of all subtasks, in a checkpoint: arrays are written whole, however
     * full they are, and with them the ids that are also kept exactly.
     */
    public long checkpointBytes() {
        double ids = (double) settings.idsPerWindowAndKeyGroup(maxParallelism);
        double sampled = Math.min(shadowIdsOfKeyGroup(), SAMPLED_WINDOWS * ids);
        double one =
                ForgetfulFilter.expectedBytes(settings.windowOptions(maxParallelism))
                        + sampled * SAMPLE_ENTRY_BYTES;
        double all = one * maxParallelism;
        return all >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) all;
    }

    /**
     * Returns whether filters are made for all expected ids at once: if half of the memory is
     * enough for that, the other half being for growth. Otherwise they begin small, and memory goes
     * to the filters that get ids.
     */
    public boolean fitsAtOnce() {
        long one = ForgetfulFilter.expectedBytes(settings.windowOptions(maxParallelism));
        return one <= bytesGiven() / 2 / keyGroups();
    }

    /** Most ids of a key group that are also kept exactly. */
    int shadowIdsOfKeyGroup() {
        return settings.shadowIds() == 0 ? 0 : Math.max(1, settings.shadowIds() / keyGroups());
    }

    /**
     * Returns what to tell a user whose ids are on disk because memory does not hold them; empty if
     * it does.
     */
    Optional<String> onDisk(String operator) {
        return fits()
                ? Optional.empty()
                : Optional.of(
                        need(operator)
                                + " So its ids are on local disk, and memory, outside the heap, is"
                                + " for their page cache and buffers: leave room with"
                                + " taskmanager.memory.task.off-heap.size. For ids in memory raise"
                                + " memory or the parallelism, or shorten within, or set "
                                + DeduplicateOptions.ON_DISK.key()
                                + " to false.");
    }

    private String need(String operator) {
        return String.format(
                Locale.ROOT,
                "Operator %s: %,d new ids a second%s in a window of %s, at a false positive"
                        + " probability of %s, need %s in %s, but memory is %s.",
                operator,
                settings.idsPerSecond(),
                settings.contents() ? ", with their contents," : "",
                spoken(settings.windowMillis()),
                settings.fpp(),
                spokenBytes(bytesNeeded()),
                parallelism == 1 ? "the one subtask" : "each of " + parallelism + " subtasks",
                spokenBytes(bytesGiven()));
    }

    /** Returns what to tell the user who set the numbers; empty if they fit. */
    public Optional<String> warning(String operator) {
        if (fits()) {
            return Optional.empty();
        }
        StringBuilder text = new StringBuilder(need(operator));
        if (leastBytes() > bytesGiven()) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            " Not even the smallest filters of its %d key groups fit; they take %s,"
                                    + " even beyond memory: raise memory or the parallelism, or"
                                    + " lower the maximum parallelism before the first start.",
                            keyGroups(),
                            spokenBytes(leastBytes())));
        } else {
            text.append(
                    String.format(
                            Locale.ROOT,
                            " With that, a window of %s fits at this rate, or %,d ids a second in"
                                + " this window. Raise memory or the parallelism, shorten within,"
                                + " or correct expecting; otherwise onOverflow, which is %s,"
                                + " decides what gives.",
                            spoken(windowMillisThatFits()),
                            idsPerSecondThatFit(),
                            settings.overflow()));
        }
        return Optional.of(text.toString());
    }

    private long bytes(double idsPerKeyGroup) {
        double one = ForgetfulFilter.expectedBytes(settings.windowOptionsFor(idsPerKeyGroup));
        double all = one * keyGroups();
        return all >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) all;
    }

    /**
     * Returns the largest number up to {@code most} whose bytes are available; the bytes grow with
     * the number.
     */
    private long largest(long most, LongUnaryOperator bytes) {
        long fits = 0;
        long tooMany = most;
        while (tooMany - fits > 1) {
            long middle = fits + (tooMany - fits) / 2;
            if (bytes.applyAsLong(middle) <= bytesGiven()) {
                fits = middle;
            } else {
                tooMany = middle;
            }
        }
        return fits;
    }

    /** Two units are enough for an estimate. */
    private static String spoken(long millis) {
        Duration duration = Duration.ofMillis(millis);
        if (duration.toDays() > 0) {
            return duration.toDays() + " d " + duration.toHoursPart() + " h";
        }
        if (duration.toHours() > 0) {
            return duration.toHours() + " h " + duration.toMinutesPart() + " min";
        }
        if (duration.toMinutes() > 0) {
            return duration.toMinutes() + " min " + duration.toSecondsPart() + " s";
        }
        return millis + " ms";
    }

    /**
     * Returns a size in the units of the option, rounded up to whole mebibytes below a gibibyte.
     */
    public static String spokenBytes(long bytes) {
        double mebibytes = bytes / (double) (1 << 20);
        return mebibytes < 1024
                ? String.format(Locale.ROOT, "%.0f mb", Math.ceil(mebibytes))
                : String.format(Locale.ROOT, "%,.1f gb", mebibytes / 1024);
    }
}
