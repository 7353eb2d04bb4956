/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.runtime.PlannedParallelism;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the machines of a subtask fit into its memory, by the user's own numbers. Pure except for
 * {@link #warnAtConstruction} and {@link #start}, which warn. Nothing is refused here: a job must
 * start from its own savepoint even if the parallelism was reduced.
 *
 * @param settings what was asked for
 * @param parallelism subtasks, at least 1
 * @param maxParallelism key groups, at least as many as subtasks
 */
@Internal
public record StoreSizing(StoreSettings settings, int parallelism, int maxParallelism) {

    /** The metric of {@link #bytesNeeded()}. */
    public static final String EXPECTED_BYTES = "expectedBytes";

    private static final Logger LOG = LoggerFactory.getLogger(StoreSizing.class);

    /** Machines that the smallest filter of a class is sized for. */
    private static final long MIN_MACHINES = 32;

    private static final long MAX_MACHINES = 1L << 40;

    public StoreSizing {
        requireNonNull(settings, "settings");
        if (parallelism < 1 || maxParallelism < parallelism) {
            throw new IllegalArgumentException(
                    "parallelism must be from 1 to the maximum parallelism, but is "
                            + parallelism
                            + " of "
                            + maxParallelism);
        }
        settings = settings.chosen(maxParallelism);
    }

    /** Returns the sizing of a running task. */
    public static StoreSizing of(StoreSettings settings, TaskInfo task) {
        return new StoreSizing(
                settings,
                task.getNumberOfParallelSubtasks(),
                task.getMaxNumberOfParallelSubtasks());
    }

    /** Key groups of the subtask that has the most. */
    public int keyGroups() {
        return (maxParallelism + parallelism - 1) / parallelism;
    }

    /** Roughly the bytes that the subtask with the most key groups takes for the expected flows. */
    public long bytesNeeded() {
        return bytes(settings.expected());
    }

    /** Returns what each store would take in the subtask with the most key groups. */
    public List<StoreChoice.Offer> offers() {
        return Stream.of(StoreKind.values())
                .map(kind -> StoreChoice.offer(settings.with(kind), parallelism, maxParallelism))
                .toList();
    }

    /** Machines of the whole stream at one time that fit; 0 if not even the smallest tables do. */
    public long machinesThatFit() {
        long fits = 0;
        long tooMany = MAX_MACHINES;
        while (tooMany - fits > 1) {
            long middle = fits + (tooMany - fits) / 2;
            if (bytes(middle) <= settings.storeBytes()) {
                fits = middle;
            } else {
                tooMany = middle;
            }
        }
        return fits;
    }

    /** It grows with the machines. */
    private long bytes(long machines) {
        double perGroup = Math.max(1, Math.ceil((double) machines / maxParallelism));
        double group =
                switch (settings.kind()) {
                    case EXACT -> {
                        double slots = ExactStore.MIN_SLOTS;
                        while (3 * slots < 4 * perGroup) {
                            slots *= 2;
                        }
                        yield slots * ExactStore.SLOT_BYTES;
                    }
                    case FINGERPRINTS ->
                            settings.fingerprints(maxParallelism)
                                    .bytes((double) FingerprintPlan.withRoom(perGroup));
                    case KBF ->
                            // Generations empty while those of later slices fill.
                            (settings.times().slices() + 1)
                                    * Math.max(
                                            perGroup,
                                            (double) settings.times().classes().count()
                                                    * MIN_MACHINES)
                                    * settings.bits()
                                    / Byte.SIZE;
                };
        return (long) Math.min(Long.MAX_VALUE, group * keyGroups());
    }

    /** What to tell the user who set the numbers; empty if they fit. */
    public Optional<String> warning(String operator) {
        if (bytesNeeded() <= settings.storeBytes()) {
            return Optional.empty();
        }
        long fits = machinesThatFit();
        String advice =
                fits == 0
                        ? String.format(
                                Locale.ROOT,
                                "Not even the smallest tables of its %,d key groups fit: raise"
                                        + " memory or the parallelism, or lower the maximum"
                                        + " parallelism before the first start.",
                                keyGroups())
                        : String.format(
                                Locale.ROOT,
                                "With that, about %,d %s fit. Raise memory or the parallelism,"
                                        + " or correct expecting; otherwise whenFull, which is %s,"
                                        + " decides what gives.",
                                fits,
                                settings.nouns().machines(),
                                settings.whenFull());
        return Optional.of(
                String.format(
                        Locale.ROOT,
                        "Operator %s: %,d %s at one time need about %,d MiB in each of %d"
                                + " subtask(s) with the store %s, but memory is %s, of"
                                + " which %,d MiB are for them. %s",
                        operator,
                        settings.expected(),
                        settings.nouns().machines(),
                        (bytesNeeded() >> 20) + 1,
                        parallelism,
                        settings.kind(),
                        settings.memory().toHumanReadableString(),
                        settings.storeBytes() >> 20,
                        advice));
    }

    /**
     * Logs the store that was chosen, and the warning, for the parallelism of {@code environment}:
     * the best guess when a job is built. The operator may get another one, so {@link #start} warns
     * again.
     */
    public static void warnAtConstruction(
            StoreSettings settings, String uid, StreamExecutionEnvironment environment) {
        PlannedParallelism.of(environment)
                .ifPresent(
                        planned -> {
                            String operator = planned.describe(uid);
                            logChoice(settings, operator, planned.keyGroups());
                            new StoreSizing(settings, planned.subtasks(), planned.keyGroups())
                                    .warning(operator)
                                    .ifPresent(LOG::warn);
                        });
    }

    /** Logs the store that was chosen, if none was named. */
    public static void logChoice(StoreSettings settings, String operator, int keyGroups) {
        if (settings.kind() == null) {
            LOG.info(StoreChoice.of(settings, keyGroups).reason(operator));
        }
    }

    /** Logs the warning, and shows the need as a metric of {@code group}. */
    public void start(String operator, MetricGroup group) {
        long needed = bytesNeeded();
        group.gauge(EXPECTED_BYTES, (Gauge<Long>) () -> needed);
        warning(operator).ifPresent(LOG::warn);
    }
}
