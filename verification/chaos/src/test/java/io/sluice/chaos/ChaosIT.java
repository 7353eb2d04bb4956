/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A short run, with all kinds of faults and all jobs. Only with {@code -Pchaos}. */
class ChaosIT {
    @Test
    void allResultsAreRight() {
        assertThat(
                        Chaos.execute(
                                "--seed=" + Long.getLong("test.seed", 1),
                                "--faults=14",
                                "--rate=1000",
                                "--jobs=dedup,counters,flows,reconcile,sql",
                                "--out=" + Path.of("target", "chaos")))
                .isZero();
        assertThat(ProcessHandle.current().children()).isEmpty();
    }
}
