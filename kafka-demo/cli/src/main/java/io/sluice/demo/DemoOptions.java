/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.record.CounterKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a demonstration.
 *
 * @param capture the capture to replay; empty to generate one
 * @param packets packets to generate; at least {@value #MIN_PACKETS}
 * @param out folder of the results, created if it does not exist
 * @param seed of the generated capture and of the retries
 * @param filter whether the counters have a filter; without one the verdict cannot be ok
 * @param countBy what has a counter
 * @param window how long a retry may come after its operation, in capture time
 * @param fpp probability of a false positive that the filters must keep
 * @param retryShare of the operations that are sent more than once, in [0, 1]
 * @param parallelism of the job before it is rescaled; also the number of TaskManagers
 * @param rescaledParallelism after rescaling; different from {@code parallelism}
 * @param acceptDamaged whether a cut or damaged capture is replayed up to the damage
 */
public record DemoOptions(
        Optional<Path> capture,
        long packets,
        Path out,
        long seed,
        boolean filter,
        CounterKind countBy,
        Duration window,
        double fpp,
        double retryShare,
        int parallelism,
        int rescaledParallelism,
        boolean acceptDamaged) {

    static final long MIN_PACKETS = 100;
    private static final int MAX_PARALLELISM = 16;
    private static final Duration MIN_WINDOW = Duration.ofMillis(100);

    /** Checks every option. */
    public DemoOptions {
        if (packets < MIN_PACKETS) {
            throw new IllegalArgumentException(
                    "--packets must be at least " + MIN_PACKETS + ", but is " + packets);
        }
        if (!(fpp > 0 && fpp <= 0.25)) {
            throw new IllegalArgumentException(
                    "--fpp must be greater than 0 and at most 0.25, but is " + fpp);
        }
        if (!(retryShare >= 0 && retryShare <= 1)) {
            throw new IllegalArgumentException(
                    "--retries must be in [0, 1], but is "
                            + retryShare
                            + ": 0.1 sends one packet in ten more than once");
        }
        if (window.compareTo(MIN_WINDOW) < 0) {
            throw new IllegalArgumentException(
                    "--window must be at least "
                            + MIN_WINDOW.toMillis()
                            + " ms, but is "
                            + window.toMillis()
                            + " ms");
        }
        requireParallelism("--parallelism", parallelism);
        requireParallelism("--rescale-to", rescaledParallelism);
        if (parallelism == rescaledParallelism) {
            throw new IllegalArgumentException(
                    "--rescale-to must differ from --parallelism, but both are " + parallelism);
        }
    }

    private static void requireParallelism(String option, int value) {
        if (value < 1 || value > MAX_PARALLELISM) {
            throw new IllegalArgumentException(
                    option + " must be in [1, " + MAX_PARALLELISM + "], but is " + value);
        }
    }
}
