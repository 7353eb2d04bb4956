/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.capture.TraceGenerator;
import io.sluice.capture.TraceOptions;
import io.sluice.job.Converters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
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
    @Parameters(
            paramLabel = "FILE",
            description = "The capture to write; compressed if its name ends in .gz.")
    private Path file;

    @Option(
            names = "--packets",
            defaultValue = "1200000",
            paramLabel = "N",
            description = "Default: ${DEFAULT-VALUE}.")
    private long packets;

    @Option(names = "--flows", paramLabel = "N", description = "Default: a tenth of the packets.")
    private Long flows;

    @Option(
            names = "--duration",
            defaultValue = "60 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "From the first packet to the last, in the mean. Default: ${DEFAULT-VALUE}.")
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

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        TraceOptions.Builder options =
                TraceOptions.builder(packets).seed(seed).duration(duration).ipv6Share(ipv6);
        if (flows != null) {
            options.flows(flows);
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
            throw new IOException(
                    "cannot write into " + folder + ": make the folder, or name another file");
        }
        TraceGenerator.write(options.build(), file);
        spec.commandLine()
                .getOut()
                .printf("%s: %,d packets, %,d bytes%n", file, packets, Files.size(file));
        return Failures.OK;
    }
}
