/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import io.sluice.bench.run.ReferenceOption;
import io.sluice.bench.run.ReferenceTables;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench kbf}: throughput, then the paper's tables and the comparison at equal memory. */
@Command(
        name = "kbf",
        mixinStandardHelpOptions = true,
        description = {
            "The key-value Bloom filter: throughput, errors at equal memory beside the paper's,"
                    + " sBF, maplets and an exact map, static and under churn, the paper's tables,"
                    + " agreement with the reference tables."
        })
public final class KbfCommand extends BenchCommand {
    @Mixin private ReferenceOption reference;

    @Option(
            names = "--only",
            paramLabel = "PART",
            description = "Only one half: tables or" + " throughput.")
    private Part only;

    @Option(
            names = "--seed",
            defaultValue = "20261101",
            description = "Equal seeds give equal" + " tables.")
    private long seed;

    /** One half of the benchmark. */
    enum Part {
        tables,
        throughput
    }

    @Override
    protected void measure(BenchReport report) throws IOException {
        Optional<ReferenceTables> with = reference.find("kbf_closed_form.csv");
        // First, while the compiler has seen only the measured code.
        if (only != Part.tables) {
            KbfRates.run(report);
        }
        if (only != Part.throughput) {
            tables(
                    report.quick()
                            ? new KbfRun(report, with, 30_000, 4_000, 22, seed)
                            : new KbfRun(report, with, 200_000, 20_000, 26, seed));
        }
    }

    static void tables(KbfRun run) throws IOException {
        ReferenceTables.tellIfMissing(run.reference(), run.report());
        EncodingTables.run(run);
        ClosedForm.run(run);
        int wrong = EqualMemory.run(run) + PaperExperiment.run(run) + MapletErrors.run(run);
        run.report()
                .add(
                        "kbf.wrongOutputs",
                        wrong,
                        "keys",
                        "<= 0",
                        "held keys with another value, or denied, over all static"
                                + " comparisons");
        ChurnTable.run(run);
        PaperDictionary.run(run);
    }
}
