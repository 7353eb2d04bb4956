/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flows.FlowsSummary;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Locale;

/** What became of the flows of captures, as text. */
final class FlowsText {
    private FlowsText() {}

    static void print(FlowsSummary summary, PrintWriter out) {
        FlowsSummary.Packets packets = summary.packets();
        line(out, "%,14d packets in %s", packets.read(), String.join(", ", summary.captures()));
        line(
                out,
                "%,14d of them TCP with ports and flags, %,d other IP, %,d not IP",
                packets.tcp(),
                packets.ip() - packets.tcp(),
                packets.read() - packets.ip());
        packets.notFullyRead()
                .forEach((reason, count) -> line(out, "%,14d not fully read: %s", count, reason));
        if (packets.ip() > 0) {
            line(
                    out,
                    "%14s s, from %s to %s",
                    String.format(Locale.ROOT, "%,.3f", summary.durationSeconds()),
                    Instant.ofEpochMilli(summary.firstMillis()),
                    Instant.ofEpochMilli(summary.lastMillis()));
        }
        flows(summary, out);
        alerts(summary, out);
        out.println();
        summary.files().forEach(file -> line(out, "written: %s", file));
    }

    private static void flows(FlowsSummary summary, PrintWriter out) {
        out.println();
        line(out, "%,14d TCP flows", summary.totalFlows());
        if (!summary.flows().isEmpty()) {
            line(out, "%-8s %14s %14s %14s", "state", "ended", "timed out", "open at the end");
        }
        summary.flows()
                .forEach(
                        (state, ends) ->
                                line(
                                        out,
                                        "%-8s %,14d %,14d %,14d",
                                        state,
                                        ends.ended(),
                                        ends.timedOut(),
                                        ends.open()));
    }

    private static void alerts(FlowsSummary summary, PrintWriter out) {
        out.println();
        if (summary.alerts().isEmpty()) {
            line(out, "%14s alerts", "no");
        }
        summary.alerts().forEach((kind, count) -> line(out, "%,14d alerts: %s", count, kind));
    }

    private static void line(PrintWriter out, String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
