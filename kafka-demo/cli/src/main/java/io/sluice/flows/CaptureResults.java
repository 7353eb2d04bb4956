/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import io.sluice.capture.CaptureSet;
import io.sluice.flink.flow.ConnState;
import io.sluice.flink.flow.FlowMetrics;
import io.sluice.flows.FlowsSummary.Ends;
import io.sluice.flows.FlowsSummary.Packets;
import io.sluice.job.JobSummary;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.flows.FollowedFlows;
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
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * The summary.
     *
     * @param files what the user gets
     */
    FlowsSummary summary(List<Path> files) {
        boolean isEmpty = reading.tally().ipPackets() == 0;
        Map<String, Long> alerts = new TreeMap<>();
        count(alerts, "fin-and-rst", operator(FlowMetrics.FIN_AND_RST));
        count(alerts, "illegal-flags", operator(FlowMetrics.ILLEGAL));
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
                warnings(),
                files.stream().map(Path::toString).toList());
    }

    private List<String> warnings() {
        List<String> warnings = new ArrayList<>(reading.tally().unknownLinks());
        warnings.addAll(JobSummary.warnings(troubles, metrics, (operator, metric) -> ""));
        return warnings;
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

    private static void count(Map<String, Long> alerts, String kind, long count) {
        if (count > 0) {
            alerts.put(kind, count);
        }
    }

    private long operator(String metric) {
        return metrics.applyAsLong(FollowedFlows.OPERATOR, metric);
    }
}
