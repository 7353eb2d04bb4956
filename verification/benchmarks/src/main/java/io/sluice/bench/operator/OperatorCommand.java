/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import io.sluice.bench.operator.DedupRun.Engine;
import io.sluice.bench.operator.DedupRun.Kind;
import io.sluice.bench.operator.DedupRun.Result;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Spread;
import io.sluice.bench.run.BenchCommand;
import io.sluice.local.Directories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench operator}: records per second inside a Flink job, engines in turns. */
@Command(
        name = "operator",
        mixinStandardHelpOptions = true,
        description = {
            "Deduplicate inside a Flink job beside a keyed map that does nothing and ValueState on"
                + " hashmap and RocksDB: parallelism 2, object reuse, 10 %% duplicates, checkpoints"
                + " every 10 s."
        })
public final class OperatorCommand extends BenchCommand {
    @Option(
            names = "--records",
            paramLabel = "N",
            description = "Records of the fast engines (default: 40000000, quick 6000000).")
    private long records;

    @Option(
            names = "--state-records",
            paramLabel = "N",
            description = "Records of the engines on Flink state (default: 8000000, quick 500000).")
    private long stateRecords;

    @Option(names = "--rounds", paramLabel = "N", description = "Default: 5, quick 2.")
    private int rounds;

    @Option(
            names = "--state-rounds",
            paramLabel = "N",
            defaultValue = "1",
            description = "Rounds in which the engines on Flink state take part (default: 1).")
    private int stateRounds;

    @Override
    protected void measure(BenchReport report) throws Exception {
        if (stateRounds < 1) {
            throw new IllegalArgumentException(
                    "--state-rounds must be at least 1, but is "
                            + stateRounds
                            + ": the ratios need a round of the engines on state");
        }
        boolean quick = report.quick();
        long fast = records > 0 ? records : quick ? 6_000_000 : 40_000_000;
        long slow = stateRecords > 0 ? stateRecords : quick ? 500_000 : 8_000_000;
        int turns = rounds > 0 ? rounds : quick ? 2 : 5;
        CsvTable table = new CsvTable("ids,engine,round,records,records_per_second,passed");
        for (Kind kind : Kind.values()) {
            // Strings cost more to make than longs: half as many.
            long scale = kind == Kind.LONG ? 1 : 2;
            measure(
                    report,
                    table,
                    kind,
                    whole(fast / scale),
                    whole(slow / scale),
                    turns,
                    stateRounds);
        }
        report.table("operator.csv", table);
    }

    private static void measure(
            BenchReport report,
            CsvTable table,
            Kind kind,
            long fast,
            long slow,
            int rounds,
            int stateRounds)
            throws Exception {
        Map<Engine, List<Double>> rates = new EnumMap<>(Engine.class);
        List<Double> ratios = new ArrayList<>();
        long expected = Ids.distinct(fast);
        long lost = 0;
        for (int round = 0; round <= rounds; round++) {
            for (Engine engine : Engine.values()) {
                boolean onState = engine == Engine.HASHMAP || engine == Engine.ROCKSDB;
                // State engines need minutes: the others warm up for them, and they skip some
                // rounds.
                if (onState && (round == 0 || round > stateRounds)) {
                    continue;
                }
                long count = onState ? slow : fast;
                Result result = once(engine, kind, count);
                report.progress(
                        "    %-8s %-24s round %d: %,.0f records/s",
                        kind, engine.title, round, result.recordsPerSecond());
                table.add(kind, engine, round, count, result.recordsPerSecond(), result.passed());
                if (round > 0) {
                    rates.computeIfAbsent(engine, e -> new ArrayList<>())
                            .add(result.recordsPerSecond());
                }
                if (engine == Engine.FILTER) {
                    lost = Math.max(lost, expected - result.passed());
                    if (result.passed() > expected) {
                        throw new IllegalStateException(
                                result.passed() - expected + " duplicates passed the filter");
                    }
                }
            }
            if (round > 0) {
                ratios.add(last(rates.get(Engine.FILTER)) / last(rates.get(Engine.NOOP)));
            }
        }
        figures(report, kind, rates, Spread.of(ratios));
        report.check(
                "operator.fbf.firstsLost." + suffix(kind),
                lost <= expected * 1.2e-4,
                lost + " of " + expected + " first occurrences dropped, configured 1e-4");
    }

    private static void figures(
            BenchReport report, Kind kind, Map<Engine, List<Double>> rates, Spread ratio) {
        rates.forEach(
                (engine, values) -> {
                    Spread spread = Spread.of(values);
                    report.add(
                            "operator."
                                    + engine.name().toLowerCase(Locale.ROOT)
                                    + ".perSecond."
                                    + suffix(kind),
                            spread.median(),
                            "records/s",
                            "",
                            engine.title + ", " + spread);
                });
        report.ratio(
                kind == Kind.LONG
                        ? "operator.fbf.ratioToNoop"
                        : "operator.fbf.ratioToNoop." + suffix(kind),
                ratio,
                Engine.NOOP.title,
                ">= 0.6");
        Spread rocks = Spread.of(rates.get(Engine.ROCKSDB));
        report.ratio(
                "operator.fbf.ratioToRocksdb." + suffix(kind),
                Spread.of(rates.get(Engine.FILTER)).median() / rocks.median(),
                Engine.ROCKSDB.title,
                "",
                "RocksDB " + rocks);
    }

    private static Result once(Engine engine, Kind kind, long records) throws Exception {
        Path checkpoints = Files.createTempDirectory("sluice-bench");
        try {
            return DedupRun.run(engine, kind, records, checkpoints);
        } finally {
            Directories.deleteRecursively(checkpoints);
        }
    }

    private static long whole(long records) {
        return Math.max(1, records / DedupRun.UNIT) * DedupRun.UNIT;
    }

    private static double last(List<Double> values) {
        return values.get(values.size() - 1);
    }

    private static String suffix(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
