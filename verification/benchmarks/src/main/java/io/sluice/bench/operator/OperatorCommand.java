/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import io.sluice.bench.operator.DedupRun.Engine;
import io.sluice.bench.operator.DedupRun.Kind;
import io.sluice.bench.operator.DedupRun.Result;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import io.sluice.bench.run.Rates;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.dedup.SizingCheck;
import io.sluice.flink.testkit.local.Directories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.apache.flink.configuration.Configuration;
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
        for (Kind kind : Kind.values()) {
            // Strings cost more to make than longs: half as many.
            long scale = kind == Kind.LONG ? 1 : 2;
            measure(report, kind, whole(fast / scale), whole(slow / scale));
        }
        bitsPerId(report);
    }

    /** What filters are sized by, in one key group, as more of them need room for chance. */
    private static void bitsPerId(BenchReport report) {
        Duration window = Duration.ofSeconds(1_000);
        Configuration options = new Configuration();
        options.set(WindowedOptions.FALSE_POSITIVE_PROBABILITY, 1e-6);
        options.set(WindowedOptions.EXPECTING, 100_000L);
        WindowSettings settings = WindowSettings.of(options, window);
        long ids = settings.idsPerSecond() * window.toSeconds();
        report.add(
                "operator.window.bitsPerId",
                (double) Byte.SIZE * new SizingCheck(settings, 1, 1).bytesNeeded() / ids,
                "bits",
                "<= 36",
                ids + " ids in a window, at an error of 1e-6");
    }

    private void measure(BenchReport report, Kind kind, long fast, long slow) throws Exception {
        Rates<Engine> rates = new Rates<>();
        int turns = rounds > 0 ? rounds : report.quick() ? 2 : 5;
        long expected = Ids.distinct(fast);
        long lost = 0;
        // Round 0 warms up.
        for (int round = 0; round <= turns; round++) {
            for (Engine engine : Engine.values()) {
                // State engines need minutes: the others warm up for them, and they skip some
                // rounds.
                if (engine.isOnState() && (round == 0 || round > stateRounds)) {
                    continue;
                }
                long count = engine.isOnState() ? slow : fast;
                Result result = once(engine, kind, count);
                double rate = result.recordsPerSecond();
                report.progress(
                        "    %-8s %-24s round %d: %,.0f records/s",
                        kind, engine.title, round, rate);
                if (round > 0) {
                    rates.add(engine, rate);
                }
                if (engine == Engine.FILTER) {
                    lost = Math.max(lost, expected - result.passed());
                    if (result.passed() > expected) {
                        throw new IllegalStateException(
                                result.passed() - expected + " duplicates passed the filter");
                    }
                }
            }
        }
        figures(report, kind.name().toLowerCase(Locale.ROOT), rates);
        report.check(
                "operator.fbf.firstsLost." + kind.name().toLowerCase(Locale.ROOT),
                lost <= expected * 1.2e-4,
                lost + " of " + expected + " first occurrences dropped, configured 1e-4");
    }

    private static void figures(BenchReport report, String ids, Rates<Engine> rates) {
        for (Engine engine : Engine.values()) {
            report.add(
                    "operator." + engine.name().toLowerCase(Locale.ROOT) + ".perSecond." + ids,
                    rates.median(engine),
                    "records/s",
                    "",
                    engine.title + ", " + rates.of(engine));
        }
        report.ratio(
                "operator.fbf.ratioToNoop" + (ids.equals("long") ? "" : "." + ids),
                rates.ratio(Engine.FILTER, Engine.NOOP),
                Engine.NOOP.title,
                ">= 0.6");
        report.ratio(
                "operator.fbf.ratioToRocksdb." + ids,
                rates.median(Engine.FILTER) / rates.median(Engine.ROCKSDB),
                Engine.ROCKSDB.title,
                "",
                "RocksDB " + rates.of(Engine.ROCKSDB));
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
}
