/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.capture.CaptureSet;
import io.sluice.flink.flow.ConnState;
import io.sluice.flink.flow.FlowMetrics;
import io.sluice.flows.FlowsSummary.Attack;
import io.sluice.flows.FlowsSummary.Ends;
import io.sluice.flows.FlowsSummary.Packets;
import io.sluice.job.JobSummary;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.flows.FollowedFlows;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongBiFunction;

/** Sums up a run that has ended. */
record CaptureResults(
        CaptureSet captures,
        CaptureReading reading,
        List<Trouble> troubles,
        ToLongBiFunction<String, String> metrics) {
    private static final int TALKERS_SHOWN = 10;
    private static final int ATTACKS_SHOWN = 20;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * The summary.
     *
     * @param attacks files with an alert of an attack in each line
     * @param files what the user gets
     */
    FlowsSummary summary(List<Path> attacks, List<Path> files) throws IOException {
        boolean isEmpty = reading.tally().ipPackets() == 0;
        Map<String, Long> alerts = new TreeMap<>();
        count(alerts, "fin-and-rst", operator(FlowMetrics.FIN_AND_RST));
        count(alerts, "illegal-flags", operator(FlowMetrics.ILLEGAL));
        List<Attack> raised = raised(attacks, alerts);
        return new FlowsSummary(
                captures.captures().stream().map(each -> each.path().toString()).toList(),
                reading.end().message(),
                new Packets(
                        reading.tally().packets(),
                        reading.tally().ipPackets(),
                        reading.tcpPackets(),
                        reading.tally().exceptions()),
                isEmpty ? 0 : Math.floorDiv(reading.firstNanos(), NANOS_PER_MILLI),
                isEmpty ? 0 : Math.floorDiv(reading.lastNanos(), NANOS_PER_MILLI),
                isEmpty ? 0 : (reading.lastNanos() - reading.firstNanos()) / NANOS_PER_SECOND,
                flows(),
                alerts,
                raised,
                reading.talkers().top(TALKERS_SHOWN),
                JobSummary.warnings(troubles, metrics, (operator, metric) -> ""),
                files.stream().map(Path::toString).toList());
    }

    /** Numbers rather than records, since the key-value filter knows nothing else. */
    private Map<String, Ends> flows() {
        Map<String, Ends> flows = new LinkedHashMap<>();
        for (ConnState state : ConnState.values()) {
            Ends ends =
                    new Ends(
                            operator(FlowMetrics.ENDED + state),
                            operator(FlowMetrics.TIMED_OUT + state),
                            operator(FlowMetrics.OPEN_AT_END + state));
            if (ends.total() > 0) {
                flows.put(state.name(), ends);
            }
        }
        return flows;
    }

    /** Counts all attacks that were raised, and returns the first of each kind. */
    private static List<Attack> raised(List<Path> files, Map<String, Long> alerts)
            throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        List<Attack> first = new ArrayList<>();
        for (Path file : files) {
            try (BufferedReader lines = Files.newBufferedReader(file)) {
                int left = ATTACKS_SHOWN;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    JsonNode alert = mapper.readTree(line);
                    if (alert.path("status").asText().equals("raised")) {
                        alerts.merge(alert.path("alert").asText(), 1L, Long::sum);
                        if (left-- > 0) {
                            first.add(attack(alert));
                        }
                    }
                }
            }
        }
        return first;
    }

    private static Attack attack(JsonNode alert) {
        return new Attack(
                alert.path("alert").asText(),
                alert.path("address").asText(),
                alert.path("port").asInt(-1),
                alert.path("targets").asLong(),
                alert.path("attempts").asLong(),
                alert.path("completed").asLong(),
                alert.path("first").asLong());
    }

    private static void count(Map<String, Long> alerts, String kind, long count) {
        if (count > 0) {
            alerts.put(kind, count);
        }
    }

    private long operator(String metric) {
        return metrics.applyAsLong(FollowedFlows.OPERATOR, metric);
    }
}
