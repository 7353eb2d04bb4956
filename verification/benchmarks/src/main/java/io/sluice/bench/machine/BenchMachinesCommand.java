/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.machine;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import io.sluice.flink.testkit.local.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench machines}: state machines in stores that are exact and in stores that are not. */
@Command(
        name = "machines",
        mixinStandardHelpOptions = true,
        description = {
            "State machines of keys: memory, error beside its prediction, and events a second of"
                    + " each store, and the job from a topic to committed reports."
        })
public final class BenchMachinesCommand extends BenchCommand {
    private static final int MIN_MACHINES = 1_000;
    private static final int MAX_MACHINES = 10_000_000;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "PART",
            description = "stores or kafka; both if left out.")
    private Set<Part> only = EnumSet.allOf(Part.class);

    @Option(
            names = "--machines",
            paramLabel = "N",
            description = "Held at one time, about (default: 1,000,000; quick: 100,000).")
    private Integer machines;

    @Option(names = "--rounds", paramLabel = "N", description = "Default: 3, quick 1.")
    private int rounds;

    @Option(
            names = "--seed",
            defaultValue = "20261129",
            description = "Equal seeds give equal events.")
    private long seed;

    /** The parts that can be selected. */
    enum Part {
        stores,
        kafka
    }

    @Override
    protected void measure(BenchReport report) throws IOException {
        int count = machines != null ? machines : report.quick() ? 100_000 : 1_000_000;
        if (count < MIN_MACHINES || count > MAX_MACHINES) {
            throw new IllegalArgumentException(
                    "--machines must be from "
                            + MIN_MACHINES
                            + " to "
                            + MAX_MACHINES
                            + ", got "
                            + count);
        }
        int times = rounds > 0 ? rounds : report.quick() ? 1 : 3;
        if (only.contains(Part.stores)) {
            new MachineTrials(report, count, times, seed).run();
        }
        if (only.contains(Part.kafka)) {
            Path directory = Files.createTempDirectory("sluice-bench");
            try {
                MachinesThroughKafka.run(report, directory, count, times, seed);
            } finally {
                Directories.deleteRecursively(directory);
            }
        }
    }
}
