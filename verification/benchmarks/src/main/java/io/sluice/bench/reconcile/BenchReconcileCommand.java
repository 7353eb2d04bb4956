/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench reconcile}: what it takes to make two replicas equal. */
@Command(
        name = "reconcile",
        mixinStandardHelpOptions = true,
        description = {
            "Two replicas agree by counting cuckoo filters or by coded symbols: accuracy after one"
                    + " round and two, bytes of each method over the difference, and scaling."
        })
public final class BenchReconcileCommand extends BenchCommand {
    @Option(
            names = "--only",
            split = ",",
            paramLabel = "PART",
            description = "rounds, methods, crossover or scaling; all if left out.")
    private Set<Part> only = EnumSet.allOf(Part.class);

    @Option(
            names = "--elements",
            paramLabel = "N",
            description = "Most elements a side when scaling (default: 10 M; quick: 200,000).")
    private Integer elements;

    @Option(
            names = "--seed",
            defaultValue = "20261101",
            description = "Equal seeds give equal figures.")
    private long seed;

    /** The parts that can be selected. */
    enum Part {
        rounds,
        methods,
        crossover,
        scaling
    }

    @Override
    protected void measure(BenchReport report) throws IOException {
        int most = elements != null ? elements : report.quick() ? 200_000 : 10_000_000;
        if (most < 1_000 || most > 100_000_000) {
            throw new IllegalArgumentException(
                    "--elements must be from 1000 to 100000000, got " + most);
        }
        if (only.contains(Part.rounds)) {
            Accuracy.run(report, report.quick() ? 4 : 20, seed);
        }
        if (only.contains(Part.methods)) {
            Methods.run(report, Accuracy.ELEMENTS, seed);
        }
        if (only.contains(Part.crossover)) {
            Crossover.run(report, Accuracy.ELEMENTS, report.quick() ? 1 : 5, seed);
        }
        if (only.contains(Part.scaling)) {
            Scaling.run(report, most, seed);
        }
    }
}
