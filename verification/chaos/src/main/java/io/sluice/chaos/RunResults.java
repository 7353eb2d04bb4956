/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.fault.Fault;
import io.sluice.chaos.fault.FaultKind;
import io.sluice.chaos.job.Monitor;
import io.sluice.chaos.job.RunningPart;
import io.sluice.report.ReportPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/** The results of a run, and their files. */
final class RunResults {
    private final ChaosOptions options;
    private final List<Map<String, Object>> faults = new ArrayList<>();
    private final Map<String, Integer> faultsByKind = new TreeMap<>();
    private final Map<String, Object> verdicts = new LinkedHashMap<>();
    private final Map<String, Object> parts = new LinkedHashMap<>();
    private final Map<String, String> leftOut = new LinkedHashMap<>();
    private String failure = "";

    RunResults(ChaosOptions options) {
        this.options = options;
    }

    /**
     * Notes a fault.
     *
     * @param what was done
     * @param began after the first began
     * @param recovered how long until the jobs had recovered; null if the next fault did not wait
     *     for that
     */
    void fault(Fault fault, String what, Duration began, @Nullable Duration recovered) {
        faultsByKind.merge(fault.kind().text(), 1, Integer::sum);
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("number", fault.number());
        line.put("kind", fault.kind().text());
        line.put("what", what);
        line.put("seconds", seconds(began));
        line.put("recovered", recovered == null ? null : seconds(recovered));
        faults.add(line);
    }

    /** Notes a kind that this machine cannot have, and why. */
    void leftOut(FaultKind kind, String why) {
        leftOut.put(kind.text(), why);
    }

    Map<String, String> leftOut() {
        return leftOut;
    }

    /** To a tenth. */
    private static double seconds(Duration duration) {
        return Math.round(duration.toMillis() / 100.0) / 10.0;
    }

    void part(RunningPart part, Monitor monitor) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("subtasks", part.parallelism());
        for (Monitor.Count count : Monitor.Count.values()) {
            line.put("checkpoints" + capitalized(count), monitor.count(part.part().name(), count));
        }
        parts.put(part.part().name(), line);
    }

    private static String capitalized(Monitor.Count count) {
        return count.name().charAt(0) + count.name().substring(1).toLowerCase(Locale.ROOT);
    }

    /** How many faults of each kind there were. */
    Map<String, Integer> faultsByKind() {
        return faultsByKind;
    }

    void verdict(String job, CheckResult verdict) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("ok", verdict.isOk());
        line.put("numbers", verdict.numbers());
        line.put("violations", verdict.violations());
        verdicts.put(job, line);
    }

    void failed(IOException e) {
        failure = e.getMessage();
    }

    /** Writes {@code results.json}, and {@code report.html}, which shows it. */
    void write(Path folder, boolean isOk) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("ok", isOk);
        all.put("command", options.command());
        all.put("seed", options.seed());
        all.put("rate", options.rate());
        all.put("faultsByKind", faultsByKind);
        all.put("faultsLeftOut", leftOut);
        all.put("faults", faults);
        all.put("jobs", parts);
        all.put("verdicts", verdicts);
        all.put("failure", failure);
        Files.writeString(folder.resolve("results.json"), ReportPage.json(all));
        Files.writeString(
                folder.resolve("report.html"), ReportPage.of(all, RunResults.class, "chaos.html"));
    }
}
