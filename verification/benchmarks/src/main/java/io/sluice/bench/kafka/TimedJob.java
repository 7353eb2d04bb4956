/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A bounded job on a cluster in this process, measured from the moment when all tasks run to its
 * end.
 *
 * @param recordsPerSecond of its input
 * @param cores processor time of the process over wall time
 */
public record TimedJob(double recordsPerSecond, double cores) {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Runs the job that is defined in {@code env}, over an input of {@code records} records. */
    public static TimedJob run(
            Path directory,
            StreamExecutionEnvironment env,
            int parallelism,
            String name,
            long records)
            throws IOException {
        try (LocalFlink flink = LocalFlink.start(directory, 1, parallelism)) {
            RunningJob job = flink.submit(env, name);
            job.awaitRunning(LIMIT);
            long cpu = SYSTEM.getProcessCpuTime();
            long start = System.nanoTime();
            job.awaitFinished(LIMIT);
            double nanos = System.nanoTime() - start;
            return new TimedJob(records * 1e9 / nanos, (SYSTEM.getProcessCpuTime() - cpu) / nanos);
        }
    }
}
