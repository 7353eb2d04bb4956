/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import io.sluice.bench.operator.CountersRun.Counters;
import io.sluice.bench.operator.CountersRun.Engine;
import io.sluice.bench.operator.CountersRun.Result;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import io.sluice.bench.run.Rates;
import io.sluice.flink.testkit.local.Directories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench counters}: operations per second inside a Flink job, in one phase and in two. */
@Command(
        name = "counters",
        mixinStandardHelpOptions = true,
        description = {
            "IdempotentCounters inside a Flink job, in one phase and in two, beside a keyed map"
                + " that does nothing: parallelism 2, RocksDB, object reuse, each operation twice,"
                + " values every second, checkpoints every 10 s."
        })
public final class BenchCountersCommand extends BenchCommand {
    @Option(
            names = "--records",
            paramLabel = "N",
            description = "Operations, retries included (default: 40000000, quick 2000000).")
    private long records;

    @Option(names = "--rounds", paramLabel = "N", description = "Default: 3, quick 1.")
    private int rounds;

    @Override
    protected void measure(BenchReport report) throws Exception {
        long count = records > 0 ? records : report.quick() ? 2_000_000 : 40_000_000;
        int turns = rounds > 0 ? rounds : report.quick() ? 1 : 3;
        for (Counters counters : Counters.values()) {
            measure(report, counters, count, turns);
        }
    }

    private static void measure(BenchReport report, Counters counters, long count, int turns)
            throws Exception {
        Rates<Engine> rates = new Rates<>();
        // Round 0 warms up.
        for (int round = 0; round <= turns; round++) {
            for (Engine engine : Engine.values()) {
                Result result = once(engine, counters, count);
                report.progress(
                        "    %-10s %-28s round %d: %,.0f operations/s",
                        counters, engine.title, round, result.operationsPerSecond());
                if (round > 0) {
                    rates.add(engine, result.operationsPerSecond());
                }
                if (engine != Engine.NOOP) {
                    check(report, engine, counters, count, round, result.counted());
                }
            }
        }
        figures(report, counters, rates);
    }

    /** Half of the records are retries; of the others at most one in 10,000 is missed. */
    private static void check(
            BenchReport report,
            Engine engine,
            Counters counters,
            long count,
            int round,
            long counted) {
        long operations = CountersRun.distinct(count);
        report.check(
                String.format(
                        Locale.ROOT, "counters.%s.%s.round%d", name(engine), name(counters), round),
                counted <= operations && counted >= operations * (1 - 1.2e-4) - 20,
                "%,d counted of %,d operations",
                counted,
                operations);
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace("_", "");
    }

    private static void figures(BenchReport report, Counters counters, Rates<Engine> rates) {
        for (Engine engine : Engine.values()) {
            report.add(
                    "counters." + name(engine) + ".perSecond." + name(counters),
                    rates.median(engine),
                    "operations/s",
                    "",
                    engine.title + ", " + counters.title + ", " + rates.of(engine));
        }
        report.ratio(
                "counters.twophases.ratioToOne." + name(counters),
                rates.ratio(Engine.TWO_PHASES, Engine.ONE_PHASE),
                Engine.ONE_PHASE.title,
                "");
    }

    private static Result once(Engine engine, Counters counters, long records) throws Exception {
        Path checkpoints = Files.createTempDirectory("sluice-bench");
        try {
            return CountersRun.run(engine, counters, records, checkpoints);
        } finally {
            Directories.deleteRecursively(checkpoints);
        }
    }
}
