/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.flink.reconcile.DifferenceMethod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a {@link ReconcileDemo}.
 *
 * @param capture empty for a generated one
 * @param packets to generate
 * @param out folder of the results
 * @param seed of the capture and of what goes wrong on the way to each replica
 * @param method how differences are found
 * @param losses share of the packets that a replica misses
 * @param retries share of the packets that a replica sees more than once
 * @param windows how many the capture's time is cut into, at least 1
 * @param twoBrokers a broker for each replica
 * @param ttl how long a window waits for the peer before it is suspended
 */
public record ReconcileDemoOptions(
        Optional<Path> capture,
        long packets,
        Path out,
        long seed,
        DifferenceMethod method,
        double losses,
        double retries,
        int windows,
        boolean twoBrokers,
        Duration ttl) {

    /** Checks what is checked nowhere else. */
    public ReconcileDemoOptions {
        if (packets < 1) {
            throw new IllegalArgumentException("--packets must be at least 1, but is " + packets);
        }
        if (windows < 1) {
            throw new IllegalArgumentException("--windows must be at least 1, but is " + windows);
        }
    }
}
