/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.capture.traffic.TrafficGenerator;
import io.sluice.capture.traffic.TrafficOptions;
import io.sluice.capture.traffic.TrafficTruth;
import io.sluice.capture.traffic.TrafficTruthFile;
import io.sluice.job.Converters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice generate}. */
@Command(
        name = "generate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Writes a synthetic capture like those of a backbone: raw IP, headers only,"
                    + " nanoseconds, heavy-tailed flows, popular sources. Equal options give equal"
                    + " bytes.")
final class GenerateCommand implements Callable<Integer> {
    private static final long DEFAULT_PACKETS = 1_200_000;
    private static final long DEFAULT_FLOWS = 120_000;

    private enum Model {
        PACKETS,
        FLOWS
    }

    @Parameters(
            paramLabel = "FILE",
            description = "The capture to write; compressed if its name ends in .gz.")
    private Path file;

    @Option(
            names = "--model",
            defaultValue = "packets",
            paramLabel = "MODEL",
            description =
                    "'packets': an exact number of packets, without a truth. 'flows': flows with"
                            + " their own size, duration and ending; scans, floods, losses; and a"
                            + " truth file. Default: ${DEFAULT-VALUE}.")
    private Model model;

    @Option(
            names = "--packets",
            paramLabel = "N",
            description = "Packets of model 'packets'. Default: 1200000.")
    private Long packets;

    @Option(
            names = "--flows",
            paramLabel = "N",
            description = "Default: a tenth of the packets; with model 'flows' 120000.")
    private Long flows;

    @Option(
            names = "--duration",
            defaultValue = "60 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description = "Mean time from the first packet to the last. Default: ${DEFAULT-VALUE}.")
    private Duration duration;

    @Option(
            names = "--ipv6",
            defaultValue = "0.1",
            paramLabel = "SHARE",
            description = "Share of the flows that are IPv6. Default: ${DEFAULT-VALUE}.")
    private double ipv6;

    @Option(
            names = "--seed",
            defaultValue = "1",
            paramLabel = "N",
            description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @ArgGroup(exclusive = false, heading = "%nOf model 'flows' only:%n")
    private TrafficArguments traffic;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        requireWritable(file);
        if (model == Model.FLOWS) {
            if (packets != null) {
                throw new IllegalArgumentException(
                        "--packets belongs to --model packets: give --flows and --mean-packets");
            }
            return generateFlows(traffic == null ? new TrafficArguments() : traffic);
        }
        if (traffic != null) {
            throw new IllegalArgumentException(
                    "an option of model 'flows' was given: add --model flows, or leave it out");
        }
        long count = packets == null ? DEFAULT_PACKETS : packets;
        LoadOptions.Builder options =
                LoadOptions.builder(count).seed(seed).duration(duration).ipv6Share(ipv6);
        if (flows != null) {
            options.flows(flows);
        }
        LoadOptions load =
                OptionNames.spelled(
                        Map.of(
                                "packets", "--packets",
                                "flows", "--flows",
                                "ipv6Share", "--ipv6",
                                "duration", "--duration"),
                        options::build);
        LoadGenerator.write(load, file);
        spec.commandLine()
                .getOut()
                .printf("%s: %,d packets, %,d bytes%n", file, count, Files.size(file));
        return Failures.OK;
    }

    private int generateFlows(TrafficArguments arguments) throws IOException {
        TrafficOptions options =
                OptionNames.spelled(
                        TrafficArguments.NAMES,
                        () ->
                                arguments
                                        .builder(flows == null ? DEFAULT_FLOWS : flows, ipv6)
                                        .seed(seed)
                                        .duration(duration)
                                        .build());
        TrafficTruth truth;
        if (arguments.truth() != null) {
            requireWritable(arguments.truth());
        }
        if (arguments.flowList() == null) {
            truth = TrafficGenerator.write(options, file, flow -> {});
        } else {
            requireWritable(arguments.flowList());
            truth = TrafficTruthFile.writeWithFlows(options, file, arguments.flowList());
        }
        if (arguments.truth() != null) {
            TrafficTruthFile.write(arguments.truth(), truth);
        }
        TrafficTruth.Flows seen = truth.flows();
        spec.commandLine()
                .getOut()
                .printf(
                        "%s: %,d packets, %,d bytes; %,d flows, %,d of them TCP: %,d with FIN, %,d"
                                + " with RST, %,d with both, %,d seen one way%n",
                        file,
                        truth.packets().total(),
                        Files.size(file),
                        seen.total(),
                        seen.tcp(),
                        seen.tcpWithFin(),
                        seen.tcpWithRst(),
                        seen.tcpWithFinAndRst(),
                        seen.tcpOneWay());
        return Failures.OK;
    }

    /** Checked before the work rather than after it. */
    private static void requireWritable(Path target) throws IOException {
        Path folder = target.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
            throw new IOException(
                    "cannot write into " + folder + ": make the folder, or name another file");
        }
    }
}
