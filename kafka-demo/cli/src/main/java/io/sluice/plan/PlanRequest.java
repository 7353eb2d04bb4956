/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.plane.Layout;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedOptions;
import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * What a user says of a stream; what is null is not said, and may be what has to be found. Messages
 * name values as options of the command {@code sluice plan}.
 *
 * @param engine null: {@code CASCADE} with keys, otherwise {@code OPERATOR}
 * @param find null: what is missing, memory first
 * @param idsPerSecond new ids of the whole stream
 * @param recordsPerSecond duplicates included; null: as many as new ids
 * @param window how long after the first a duplicate is recognised; the time-to-live of a cascade
 * @param keys that a cascade holds in the end, for ever
 * @param fpp probability of taking a new id for a duplicate; null: the operators' default
 * @param maxFpp what it may rise to; null: ten times that
 * @param layout of the operator's filters; null: the smallest
 * @param contents whether contents of duplicates are compared
 * @param parallelism subtasks
 * @param maxParallelism key groups; null: what Flink chooses
 * @param memory the cap of a subtask's filters; for a cascade, the managed memory of a slot
 * @param nanosPerRecord processor time of a record; null: as measured
 */
@Internal
public record PlanRequest(
        @Nullable PlanEngine engine,
        @Nullable Find find,
        @Nullable Long idsPerSecond,
        @Nullable Double recordsPerSecond,
        @Nullable Duration window,
        @Nullable Long keys,
        @Nullable Double fpp,
        @Nullable Double maxFpp,
        @Nullable Layout layout,
        boolean contents,
        int parallelism,
        @Nullable Integer maxParallelism,
        @Nullable MemorySize memory,
        @Nullable Double nanosPerRecord) {

    /**
     * The answer.
     *
     * @throws IllegalArgumentException if a value is out of its range, too little is said, or
     *     nothing fits
     */
    public Plan plan() {
        require(idsPerSecond == null || idsPerSecond >= 1, "--ids-per-second must be at least 1");
        require(keys == null || keys >= 1, "--keys must be at least 1");
        double probability = probability();
        require(
                probability >= WindowOptions.MIN_FPP && probability <= WindowSettings.MAX_FPP,
                "--fpp must be from 1e-12 to 0.25: 1e-6 drops one new id in a million");
        require(
                maxFpp == null || (maxFpp >= probability && maxFpp < 1),
                "--max-fpp is below --fpp");
        int most = KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM;
        require(parallelism >= 1 && parallelism <= most, "--parallelism must be from 1 to " + most);
        int keyGroups =
                maxParallelism != null
                        ? maxParallelism
                        : KeyGroupRangeAssignment.computeDefaultMaxParallelism(parallelism);
        require(
                keyGroups >= parallelism && keyGroups <= most,
                "--max-parallelism must be from --parallelism to " + most);
        require(
                window == null
                        || (window.toMillis() >= 1
                                && window.compareTo(WindowSettings.MAX_WINDOW) <= 0),
                "--within must be from 1 ms to " + WindowSettings.MAX_WINDOW.toDays() + " d");
        PlanEngine where =
                engine != null ? engine : keys != null ? PlanEngine.CASCADE : PlanEngine.OPERATOR;
        return where == PlanEngine.CASCADE ? cascade(keyGroups) : window(keyGroups);
    }

    private WindowPlan window(int keyGroups) {
        require(keys == null, "--keys is for --engine cascade: leave it out, or change --engine");
        Find what = find != null ? find : missing();
        require(what != Find.KEYS, "--find keys is for --engine cascade");
        require(
                what == Find.WINDOW || window != null,
                "--within is missing: give it, or --memory and --find window");
        require(
                what == Find.RATE || idsPerSecond != null,
                "--ids-per-second is missing: give it, or --memory and --find rate");
        require(what == Find.MEMORY || memory != null, "--memory is missing: give the cap");
        require(
                memory == null || memory.compareTo(WindowSettings.MIN_MEMORY) >= 0,
                "--memory must be at least 1mb");
        WindowSettings settings =
                new WindowSettings(
                        window == null ? Duration.ofHours(1) : window,
                        probability(),
                        idsPerSecond == null ? 1 : idsPerSecond,
                        memory == null ? WindowSettings.MIN_MEMORY : memory,
                        WindowedOptions.ON_OVERFLOW.defaultValue(),
                        WindowedOptions.TIME_DOMAIN.defaultValue(),
                        false,
                        WindowedOptions.SHADOW_IDS.defaultValue(),
                        null,
                        false,
                        maxFpp,
                        layout,
                        contents);
        return WindowPlan.find(
                settings,
                parallelism,
                keyGroups,
                what,
                recordsPerSecond == null ? 0 : recordsPerSecond,
                nanosPerRecord == null ? WindowPlan.CORE_NANOS_PER_RECORD : nanosPerRecord);
    }

    private double probability() {
        return fpp == null ? WindowedOptions.FALSE_POSITIVE_PROBABILITY.defaultValue() : fpp;
    }

    private Find missing() {
        if (memory == null) {
            return Find.MEMORY;
        }
        if (window == null) {
            return Find.WINDOW;
        }
        return idsPerSecond == null ? Find.RATE : Find.NOTHING;
    }

    private CascadePlan cascade(int keyGroups) {
        require(!contents, "--contents is for --engine operator: a cascade holds keys only");
        require(
                find == null || find == Find.KEYS || find == Find.MEMORY,
                "--find must be keys or memory with --engine cascade");
        CascadePlan.Given given =
                new CascadePlan.Given(
                        probability(),
                        parallelism,
                        keyGroups,
                        idsPerSecond == null ? null : Double.valueOf(idsPerSecond),
                        window,
                        nanosPerRecord == null
                                ? CascadePlan.CORE_NANOS_PER_RECORD
                                : nanosPerRecord);
        boolean isKnown = keys != null || (idsPerSecond != null && window != null);
        if (find == Find.KEYS || (find == null && !isKnown)) {
            require(
                    memory != null,
                    "--keys is missing: give it, or --ids-per-second and --within, or --memory to"
                            + " find how many fit");
            return CascadePlan.forMemory(given, memory.getBytes());
        }
        require(isKnown, "--keys is missing: give it, or --ids-per-second and --within");
        return CascadePlan.forKeys(
                given,
                keys != null ? keys : Math.max(1, given.keysAtTheRate()),
                memory == null || find == Find.MEMORY ? null : Long.valueOf(memory.getBytes()));
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
