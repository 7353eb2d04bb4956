/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.capture.traffic.TrafficOptions;
import io.sluice.job.Converters;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of {@code sluice generate --model flows}. */
final class TrafficArguments {
    /** The options by the names of what they set. */
    static final Map<String, String> NAMES =
            Map.ofEntries(
                    Map.entry("flows", "--flows"),
                    Map.entry("ipv6Share", "--ipv6"),
                    Map.entry("duration", "--duration"),
                    Map.entry("meanPackets", "--mean-packets"),
                    Map.entry("maxPackets", "--max-packets"),
                    Map.entry("paretoShape", "--pareto-shape"),
                    Map.entry("median", "--median-duration"),
                    Map.entry("sigma", "--duration-sigma"),
                    Map.entry("tcpShare", "--tcp"),
                    Map.entry("fin", "--fin"),
                    Map.entry("rst", "--rst"),
                    Map.entry("finAndRst", "--fin-and-rst"),
                    Map.entry("rejected", "--rejected"),
                    Map.entry("unanswered", "--unanswered"),
                    Map.entry("midstreamShare", "--midstream"),
                    Map.entry("halfSeenShare", "--half-seen"),
                    Map.entry("lossShare", "--loss"),
                    Map.entry("repeatedShare", "--repeated"),
                    Map.entry("scans", "--scans"),
                    Map.entry("probesPerScan", "--probes"),
                    Map.entry("floods", "--floods"),
                    Map.entry("packetsPerFlood", "--flood-packets"),
                    Map.entry("illegalPackets", "--illegal"));

    @Option(
            names = "--mean-packets",
            paramLabel = "N",
            description = "Mean packets of a flow, before its ending asks for more. Default: 10.")
    private double meanPackets = 10;

    @Option(
            names = "--pareto-shape",
            paramLabel = "A",
            description =
                    "Pareto shape of the sizes: the smaller, the heavier the tail. Default:"
                            + " 1.2.")
    private double paretoShape = 1.2;

    @Option(
            names = "--max-packets",
            paramLabel = "N",
            description = "Most packets of a flow." + " Default: 100000.")
    private long maxPackets = 100_000;

    @Option(
            names = "--median-duration",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description = "Median duration of a flow; durations are log-normal. Default: 1 s.")
    private Duration medianDuration = Duration.ofSeconds(1);

    @Option(
            names = "--duration-sigma",
            paramLabel = "S",
            description =
                    "Standard deviation of their logarithm: the larger, the more they differ."
                            + " Default: 2.")
    private double durationSigma = 2;

    @Option(
            names = "--tcp",
            paramLabel = "SHARE",
            description = "Share of TCP flows. Default:" + " 0.8.")
    private double tcp = 0.8;

    @Option(
            names = "--fin",
            paramLabel = "SHARE",
            description = "Share of the TCP flows that both sides close. Default: 0.6.")
    private double fin = 0.6;

    @Option(names = "--rst", paramLabel = "SHARE", description = "One side aborts. Default: 0.1.")
    private double rst = 0.1;

    @Option(
            names = "--fin-and-rst",
            paramLabel = "SHARE",
            description = "One side closes, the other aborts. Default: 0.05.")
    private double finAndRst = 0.05;

    @Option(names = "--rejected", paramLabel = "SHARE", description = "SYN, RST. Default: 0.03.")
    private double rejected = 0.03;

    @Option(
            names = "--unanswered",
            paramLabel = "SHARE",
            description = "SYN, up to four times. Default: 0.05. The rest just stops.")
    private double unanswered = 0.05;

    @Option(
            names = "--midstream",
            paramLabel = "SHARE",
            description =
                    "Flows that began before the capture, in addition to --flows. Default:" + " 0.")
    private double midstream;

    @Option(
            names = "--half-seen",
            paramLabel = "SHARE",
            description = "Flows of which one direction is not captured. Default: 0.")
    private double halfSeen;

    @Option(
            names = "--loss",
            paramLabel = "SHARE",
            description = "Packets that the capture misses. Default: 0.")
    private double loss;

    @Option(
            names = "--repeated",
            paramLabel = "SHARE",
            description = "TCP segments that are sent again. Default: 0.")
    private double repeated;

    @Option(
            names = "--scans",
            paramLabel = "N",
            description = "Hosts that scan, alternately many hosts and many ports. Default: 0.")
    private int scans;

    @Option(names = "--probes", paramLabel = "N", description = "Probes per scan. Default: 1000.")
    private int probes = 1000;

    @Option(
            names = "--floods",
            paramLabel = "N",
            description = "Hosts that are flooded with SYNs. Default: 0.")
    private int floods;

    @Option(
            names = "--flood-packets",
            paramLabel = "N",
            description = "SYN of each flood. Default: 10000.")
    private int floodPackets = 10_000;

    @Option(
            names = "--illegal",
            paramLabel = "N",
            description = "Packets with TCP flags that no connection has. Default: 0.")
    private int illegal;

    @Option(
            names = "--truth",
            paramLabel = "FILE",
            description = "Where to store, as JSON, how many packets, flags and flows there are.")
    private Path truth;

    @Option(
            names = "--flow-list",
            paramLabel = "FILE",
            description = "Where to store a line of CSV for each flow; gzip if it ends in .gz.")
    private Path flowList;

    /** Where the truth goes, or null. */
    Path truth() {
        return truth;
    }

    /** Where the list of flows goes, or null. */
    Path flowList() {
        return flowList;
    }

    /** The options, except the ones that both models have. */
    TrafficOptions.Builder builder(long flows, double ipv6) {
        int sources = (int) Math.max(1, Math.min(1 << 22, flows / 4));
        return TrafficOptions.builder(flows)
                .lengths(
                        new TrafficOptions.Lengths(
                                meanPackets,
                                paretoShape,
                                maxPackets,
                                medianDuration,
                                durationSigma))
                .hosts(new TrafficOptions.Hosts(sources, 1.1, ipv6, tcp))
                .endings(new TrafficOptions.Endings(fin, rst, finAndRst, rejected, unanswered))
                .view(new TrafficOptions.View(midstream, halfSeen, loss, repeated))
                .attacks(new TrafficOptions.Attacks(scans, probes, floods, floodPackets, illegal));
    }
}
