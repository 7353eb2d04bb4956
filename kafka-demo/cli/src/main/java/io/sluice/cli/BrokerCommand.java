/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flink.testkit.local.Directories;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice broker}. */
@Command(
        name = "broker",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs a Kafka broker on this machine, for trying things out, until it is"
                        + " interrupted; its data is then removed. It takes connections from this"
                        + " machine only, without security.")
final class BrokerCommand implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;
    private static final int MAX_PARTITIONS = 1000;

    @Option(
            names = "--port",
            defaultValue = "9092",
            paramLabel = "PORT",
            description = "Port to listen on; 0 for any free one. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = "--topic",
            split = ",",
            paramLabel = "TOPIC,...",
            description = "Topics to create. Others are created by the commands that write them.")
    private List<String> topics = List.of();

    @Option(
            names = "--partitions",
            defaultValue = "4",
            paramLabel = "N",
            description = "Partitions of each of them. Default: ${DEFAULT-VALUE}.")
    private int partitions;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "Folder for the data, with room for all that is written. Default: the system's"
                            + " folder for temporary files.")
    private Path dir;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        check();
        Path parent = dir == null ? Files.createTempDirectory("sluice-broker-") : dir;
        try (EmbeddedKafka kafka = EmbeddedKafka.start(parent, port)) {
            Thread hook = new Thread(() -> stop(kafka, parent), "sluice-broker-stop");
            Runtime.getRuntime().addShutdownHook(hook);
            if (!topics.isEmpty()) {
                kafka.createTopics(partitions, topics.toArray(String[]::new));
            }
            PrintWriter out = spec.commandLine().getOut();
            out.printf(
                    "Kafka runs at %s; Ctrl+C stops it and removes its data%n",
                    kafka.bootstrapServers());
            out.flush();
            throw new IOException(kafka.failed().join().getMessage());
        } catch (CompletionException e) {
            throw new IOException("the broker stopped: " + e.getMessage(), e);
        } finally {
            removeTemporary(parent);
        }
    }

    private void check() throws IOException {
        if (port < 0 || port > MAX_PORT) {
            throw new IllegalArgumentException(
                    "--port must be at least 0 and at most " + MAX_PORT + ", but is " + port);
        }
        if (partitions < 1 || partitions > MAX_PARTITIONS) {
            throw new IllegalArgumentException(
                    "--partitions must be at least 1 and at most "
                            + MAX_PARTITIONS
                            + ", but is "
                            + partitions);
        }
        if (dir != null && !Files.isDirectory(dir)) {
            throw new IOException("--dir " + dir + " is not a folder: make it, or name another");
        }
    }

    private void stop(EmbeddedKafka kafka, Path parent) {
        try {
            kafka.close();
            removeTemporary(parent);
        } catch (IOException e) {
            spec.commandLine()
                    .getErr()
                    .println(
                            "sluice: the broker's data remains in "
                                    + parent
                                    + ": "
                                    + e.getMessage());
        }
    }

    private void removeTemporary(Path parent) throws IOException {
        if (dir == null) {
            Directories.deleteRecursively(parent);
        }
    }
}
