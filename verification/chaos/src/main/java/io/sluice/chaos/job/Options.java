/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Options that several jobs have. */
final class Options {
    /** The window of all jobs with one: longer than any outage that a schedule has. */
    static final Duration WINDOW = Duration.ofSeconds(60);

    /** An id that was not sent for this long is certainly new. */
    static final Duration FORGOTTEN = WINDOW.multipliedBy(4);

    /**
     * The greatest probability of a false positive that {@link #filter} and {@link #onDisk} choose.
     */
    static final double MAX_FPP = 1e-4;

    private static final List<String> FPP = List.of("1e-4", "1e-5", "1e-6");
    private static final List<String> MEMORY = List.of("16mb", "24mb", "32mb");
    private static final List<String> EXPECTING = List.of("500", "2000", "5000");
    private static final List<String> LAYOUT = List.of("FINGERPRINTS", "QUOTIENT");

    private Options() {}

    static List<String> common(String servers) {
        return List.of(
                "--bootstrap-servers=" + servers,
                "--checkpoint-interval=2 s",
                // An outage of the broker must not make a partition idle that is read last.
                "--idleness=1 min",
                "--transaction-timeout=15 min");
    }

    /** Options of the filters, each of which may change at a restore. */
    static List<String> filter(SplittableRandom choice) {
        List<String> options = new ArrayList<>();
        options.add("--fpp=" + any(FPP, choice));
        options.add("--memory=" + any(MEMORY, choice));
        options.add("--expecting=" + any(EXPECTING, choice));
        if (choice.nextBoolean()) {
            options.add("--layout=" + any(LAYOUT, choice));
        }
        return options;
    }

    /** Options of ids on disk, each of which may change at a restore. */
    static List<String> onDisk(SplittableRandom choice) {
        return List.of("--fpp=" + any(FPP, choice), "--memory=" + any(MEMORY, choice));
    }

    private static String any(List<String> values, SplittableRandom choice) {
        return values.get(choice.nextInt(values.size()));
    }
}
