/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.MinuteLog;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

/** Logs, at most once a minute, that the memory does not suffice. Not thread-safe. */
final class MemoryPressure {
    private final String operator;
    private final WindowSettings settings;
    private final MinuteLog log;
    private long overflows;

    /**
     * @param operator how messages name the operator
     * @param log where the lines go, such as {@code LOG::warn}
     */
    MemoryPressure(String operator, WindowSettings settings, Consumer<String> log) {
        this.operator = requireNonNull(operator, "operator");
        this.settings = requireNonNull(settings, "settings");
        this.log = new MinuteLog(log);
    }

    /** Must be called periodically, after {@code counts} were refreshed. */
    void check(DeduplicateMetrics counts, long nowMillis) {
        long affected = counts.overflows() - overflows;
        overflows = counts.overflows();
        if (affected > 0) {
            log.write(nowMillis, () -> message(affected, counts));
        }
    }

    private String message(long affected, DeduplicateMetrics counts) {
        return String.format(
                Locale.ROOT,
                "Operator %s: memory of %s does not suffice: %,d ids were affected since the last"
                        + " check, and %s of the window of %s is held; what was forgotten early may"
                        + " pass again. Give each subtask about %,d MiB of memory, shorten within,"
                        + " raise falsePositiveProbability, or %s.",
                operator,
                settings.memory().toHumanReadableString(),
                affected,
                Duration.ofMillis(counts.coveredMillis()),
                settings.window(),
                (counts.wantedBytes() >> 20) + 1,
                spreading(counts.largestShare()));
    }

    /** A key group is never divided. */
    private static String spreading(double largestShare) {
        if (largestShare <= 0.5) {
            return "raise the parallelism";
        }
        return String.format(
                Locale.ROOT,
                "spread the ids: %.0f %% of that is for one key group, which no parallelism"
                    + " divides; if they are operations of one counter, let Deduplicate pass each"
                    + " id once before they are counted",
                100 * largestShare);
    }
}
