/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.fault.Fault;
import io.sluice.chaos.job.Monitor;
import io.sluice.chaos.job.RunningPart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The results of a run, for {@code results.json}. */
final class RunResults {
    private final ChaosOptions options;
    private final List<Map<String, Object>> faults = new ArrayList<>();
    private final Map<String, Integer> faultsByKind = new TreeMap<>();
    private final Map<String, Object> verdicts = new LinkedHashMap<>();
    private final Map<String, Object> parts = new LinkedHashMap<>();
    private String failure = "";

    RunResults(ChaosOptions options) {
        this.options = options;
    }

    void fault(Fault fault, String what, String end) {
        faultsByKind.merge(fault.kind().text(), 1, Integer::sum);
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("number", fault.number());
        line.put("kind", fault.kind().text());
        line.put("what", what);
        line.put("end", end);
        faults.add(line);
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

    void write(Path file, boolean isOk) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("ok", isOk);
        all.put("command", options.command());
        all.put("seed", options.seed());
        all.put("rate", options.rate());
        all.put("faultsByKind", faultsByKind);
        all.put("faults", faults);
        all.put("jobs", parts);
        all.put("verdicts", verdicts);
        all.put("failure", failure);
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(file.toFile(), all);
    }
}
