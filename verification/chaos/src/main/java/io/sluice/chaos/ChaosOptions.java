/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import io.sluice.chaos.process.FakeTime;
import io.sluice.chaos.process.Jars;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;

/**
 * What a run is.
 *
 * @param faults how many at most; 0 for as many as there is time for
 * @param limit after which no fault begins; zero for none
 * @param only kinds of faults, as {@code FaultKind.select} takes them; empty for all
 * @param rate records a second that are sent to each job
 * @param faketime null where clocks cannot be stepped
 * @param disk folder of the run on a small file system; null if none is filled
 */
record ChaosOptions(
        long seed,
        int faults,
        Duration limit,
        List<String> only,
        List<String> jobs,
        int rate,
        Jars jars,
        Path out,
        @Nullable FakeTime faketime,
        @Nullable Path disk) {

    /** The line that repeats the run. */
    String command() {
        StringBuilder line = new StringBuilder("./sluice chaos --seed " + seed);
        if (faults > 0) {
            line.append(" --faults ").append(faults);
        }
        if (!limit.isZero()) {
            line.append(" --minutes ").append(limit.toMillis() / 60_000.0);
        }
        if (!only.isEmpty()) {
            line.append(" --only ").append(String.join(",", only));
        }
        if (faketime != null && faketime.isGiven()) {
            line.append(" --faketime ").append(faketime.library());
        }
        if (disk != null) {
            line.append(" --disk ").append(disk.getParent());
        }
        return line.append(" --jobs ")
                .append(String.join(",", jobs))
                .append(" --rate ")
                .append(rate)
                .toString();
    }
}
