/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import io.sluice.capture.CaptureSet;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.flows.CaptureReading.Progress;
import io.sluice.job.EventTimeArguments;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.flows.FlowArguments;
import io.sluice.job.flows.FlowLines;
import io.sluice.job.flows.FollowedFlows;
import io.sluice.job.flows.ZeekConn;
import io.sluice.report.OutputFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Follows the flows of captures with the operators of the job on Kafka, in a Flink cluster inside
 * this process, and writes files.
 *
 * <p>With a parallelism of 1 equal captures and options give equal files, unless addresses were
 * chosen so that their hashes meet. The files appear complete or not at all; captures that are cut
 * or damaged give the results of what could be read.
 */
public final class CaptureFlows {
    /** The files: flows as in Zeek's log and as JSON lines, and alerts as JSON lines. */
    public static final List<String> FILES = List.of("conn.log", "flows.jsonl", "alerts.jsonl");

    private static final String CONN = FILES.get(0);
    private static final String FLOWS = FILES.get(1);
    private static final String ALERTS = FILES.get(2);

    private static final Duration FOR_EVER = Duration.ofDays(10_000);

    private final FlowArguments flows;
    private final EventTimeArguments times;
    private final FlowJson json;
    private final int parallelism;

    /**
     * @param flows how flows are followed
     * @param times how event time follows the packets
     * @param json how flows are written as JSON
     * @param parallelism subtasks that follow flows, at least 1; with more than one, the lines of
     *     the files have no order
     * @throws IllegalArgumentException naming the option that is out of range
     */
    public CaptureFlows(
            FlowArguments flows, EventTimeArguments times, FlowJson json, int parallelism) {
        flows.check();
        flows.keepTotalsByDefault();
        times.check();
        this.flows = flows;
        this.times = times;
        this.json = json;
        this.parallelism = parallelism;
    }

    /**
     * Reads {@code captures} to their ends.
     *
     * @param out folder of the results
     * @param progress is told now and then how many packets, and which share of the captures in [0,
     *     1], were read
     * @throws IOException if a capture is none or cannot be read, or the results cannot be written;
     *     then there are none
     */
    public FlowsSummary run(CaptureSet captures, Path out, BiConsumer<Long, Double> progress)
            throws IOException {
        refuseToReplace(captures, out);
        try (CaptureReading reading = CaptureReading.open(captures);
                OutputFolder folder = OutputFolder.open(out)) {
            try {
                return run(captures, reading, folder, progress);
            } catch (IOException e) {
                if (reading.failure().isPresent()) {
                    throw reading.failure().get();
                }
                throw folder.explain(e);
            }
        }
    }

    /** A capture cannot be made again. */
    private static void refuseToReplace(CaptureSet captures, Path out) throws IOException {
        for (String name : FILES) {
            Path file = out.resolve(name);
            for (CaptureSet.Capture capture : captures.captures()) {
                if (Files.exists(file)
                        && Files.exists(capture.path())
                        && Files.isSameFile(file, capture.path())) {
                    throw new IOException(
                            capture.path()
                                    + " is a capture and would be replaced by the results: give"
                                    + " another folder with --out");
                }
            }
        }
    }

    private FlowsSummary run(
            CaptureSet captures,
            CaptureReading reading,
            OutputFolder folder,
            BiConsumer<Long, Double> progress)
            throws IOException {
        Path work = folder.work();
        try (LocalFlink flink = LocalFlink.start(work, 1, parallelism)) {
            StreamExecutionEnvironment env = environment();
            define(env, reading, work);
            RunningJob job = flink.submit(env, "sluice-capture-flows");
            job.awaitEnd(
                    FOR_EVER,
                    () -> {
                        Progress now = reading.progress();
                        progress.accept(now.packets(), now.share());
                    });
            List<Trouble> troubles = new ArrayList<>(flows.troubles(times));
            troubles.add(times.wild(CaptureSource.UID));
            CaptureResults results =
                    new CaptureResults(captures, reading, troubles, flink.metrics()::total);
            FlowsSummary summary =
                    results.summary(FILES.stream().map(folder.path()::resolve).toList());
            folder.publish(FILES);
            return summary;
        }
    }

    private StreamExecutionEnvironment environment() {
        // The captures are read once, so a job that failed cannot begin again.
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(
                        new Configuration()
                                .set(RestartStrategyOptions.RESTART_STRATEGY, "disable"));
        env.setParallelism(parallelism);
        env.getConfig().enableObjectReuse();
        return env;
    }

    private void define(StreamExecutionEnvironment env, CaptureReading reading, Path work) {
        FollowedFlows followed =
                FollowedFlows.of(CaptureSource.packets(env, reading, times), flows);
        LinesSink.write(followed.flows(), work, CONN, ZeekConn.HEADER, ZeekConn::tsv);
        LinesSink.write(followed.flows(), work, FLOWS, "", json::line);
        LinesSink.write(followed.alerts(), work, ALERTS, "", FlowLines::json);
    }
}
