/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.backend.Trial.Api;
import io.sluice.bench.backend.Trial.IdKind;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** Turns the results of all trials into figures, tables and charts. */
final class BackendFigures {
    private final List<TrialResult> results = new ArrayList<>();

    void add(TrialResult result) {
        results.add(result);
    }

    void report(BenchReport report) throws IOException {
        new BackendTables(results).report(report);
        checks(report);
        for (TrialResult result : firstOfEach()) {
            rate(report, result.trial());
        }
        named(report);
    }

    /** The trials that are compared; trials with growing numbers of keys are only drawn. */
    private List<TrialResult> of(Api api, IdKind ids, int parallelism, Engine engine) {
        List<TrialResult> same =
                results.stream()
                        .filter(
                                result ->
                                        result.trial().api() == api
                                                && result.trial().ids() == ids
                                                && result.trial().parallelism() == parallelism
                                                && result.trial().engine() == engine)
                        .toList();
        return same.stream()
                .filter(result -> result.trial().records() == same.get(0).trial().records())
                .toList();
    }

    private List<TrialResult> of(Trial trial) {
        return of(trial.api(), trial.ids(), trial.parallelism(), trial.engine());
    }

    private List<TrialResult> firstOfEach() {
        Set<String> seen = new LinkedHashSet<>();
        return results.stream().filter(result -> seen.add(result.trial().toString())).toList();
    }

    private static Spread spread(List<TrialResult> of, ToDoubleFunction<TrialResult> value) {
        return Spread.of(of.stream().mapToDouble(value).boxed().toList());
    }

    private void rate(BenchReport report, Trial trial) {
        Spread rates = spread(of(trial), TrialResult::recordsPerSecond);
        report.add(
                "backend." + trial.group() + "." + trial.engine().id() + ".perSecond",
                rates.median(),
                "records/s",
                "",
                trial.engine().title() + ", " + trial.records() + " records, " + rates);
    }

    /**
     * Checks that no more first occurrences are dropped than configured, and that no duplicate
     * passes.
     */
    private void checks(BenchReport report) {
        for (TrialResult result : firstOfEach()) {
            Engine engine = result.trial().engine();
            long expected = engine == Engine.NOOP ? result.trial().records() : result.keys();
            double allowed = expected * engine.falsePositiveProbability();
            boolean holds = true;
            String detail = "";
            for (TrialResult each : of(result.trial())) {
                long dropped = expected - each.passed();
                holds &= dropped >= 0 && dropped <= allowed + 5 * Math.sqrt(allowed);
                detail = dropped + " of " + expected + " first occurrences dropped";
            }
            report.check(
                    "backend." + result.trial().group() + "." + engine.id() + ".passed",
                    holds,
                    detail);
        }
    }

    private void named(BenchReport report) {
        List<TrialResult> ours = of(Api.DATASTREAM, IdKind.LONG, 2, Engine.CASCADE);
        List<TrialResult> rocks = of(Api.DATASTREAM, IdKind.LONG, 2, Engine.ROCKSDB);
        List<TrialResult> noop = of(Api.DATASTREAM, IdKind.LONG, 2, Engine.NOOP);
        rateOf(report, "backend.datastream.perSecond", ours);
        ratio(report, "backend.datastream.ratioToRocksdb", ours, rocks, ">= 20");
        ratio(report, "backend.datastream.ratioToNoop", ours, noop, ">= 0.45");
        ratio(
                report,
                "backend.datastream.ratioToOneLine",
                ours,
                of(Api.DATASTREAM, IdKind.LONG, 2, Engine.ONE_LINE),
                "");
        ratio(
                report,
                "backend.sql.ratioToRocksdb",
                of(Api.SQL, IdKind.LONG, 2, Engine.CASCADE),
                of(Api.SQL, IdKind.LONG, 2, Engine.ROCKSDB),
                ">= 7");
        ratio(
                report,
                "backend.datastream.ratioToTunedRocksdb",
                ours,
                of(Api.DATASTREAM, IdKind.LONG, 2, Engine.ROCKSDB_TUNED),
                ">= 20");
        ratio(
                report,
                "backend.sqlRowtime.ratioToRocksdb",
                of(Api.SQL_ROWTIME, IdKind.LONG, 2, Engine.CASCADE),
                of(Api.SQL_ROWTIME, IdKind.LONG, 2, Engine.ROCKSDB),
                "");
        List<TrialResult> defaults = of(Api.DATASTREAM, IdKind.LONG, 2, Engine.CASCADE_DEFAULT);
        ratio(report, "backend.default.ratioToRocksdb", defaults, rocks, "");
        if (!defaults.isEmpty()) {
            Spread bytes = spread(defaults, TrialResult::bytesPerKey);
            report.add(
                    "backend.default.bytesPerKey",
                    bytes.median(),
                    "bytes",
                    "",
                    "full checkpoint of " + defaults.get(0).keys() + " keys, " + bytes);
        }
        for (List<TrialResult> each : List.of(ours, rocks)) {
            costs(report, each);
        }
        if (!ours.isEmpty() && !rocks.isEmpty()) {
            compareBytes(report, ours, rocks);
        }
    }

    private static void rateOf(BenchReport report, String name, List<TrialResult> of) {
        if (!of.isEmpty()) {
            Spread rates = spread(of, TrialResult::recordsPerSecond);
            report.add(name, rates.median(), "records/s", "", rates.toString());
        }
    }

    private static void ratio(
            BenchReport report,
            String name,
            List<TrialResult> ours,
            List<TrialResult> peer,
            String goal) {
        if (ours.isEmpty() || peer.isEmpty()) {
            return;
        }
        Spread rates = spread(ours, TrialResult::recordsPerSecond);
        Spread peers = spread(peer, TrialResult::recordsPerSecond);
        Trial other = peer.get(0).trial();
        report.ratio(
                name,
                rates.median() / peers.median(),
                other.engine().title(),
                goal,
                "%d records, %s; peer %d records, %s",
                ours.get(0).trial().records(),
                rates,
                other.records(),
                peers);
    }

    /** Sizes and times of one engine's state. */
    private void costs(BenchReport report, List<TrialResult> of) {
        if (of.isEmpty()) {
            return;
        }
        boolean ours = of.get(0).trial().engine().isCascade();
        String suffix = ours ? "" : "." + of.get(0).trial().engine().id();
        TrialResult last = of.get(of.size() - 1);
        String note = last.keys() + " keys";
        Spread bytes = spread(of, TrialResult::bytesPerKey);
        report.add(
                "backend.bytesPerKey" + suffix,
                bytes.median(),
                "bytes",
                ours ? "<= 2.2" : "",
                "full checkpoint of " + note + ", " + bytes);
        TrialResult largest = last;
        for (TrialResult result : results) {
            boolean same = result.trial().engine() == last.trial().engine();
            largest = same && result.keys() > largest.keys() ? result : largest;
        }
        report.add(
                "backend.checkpoint.syncMillis" + suffix,
                (double) largest.longestSyncMillis(),
                "ms",
                ours ? "<= 10" : "",
                "longest of all checkpoints up to " + largest.keys() + " keys");
        optional(report, "backend.restoreSeconds" + suffix, last.restoreSeconds(), "s", "", note);
        optional(report, "backend.rescaleSeconds" + suffix, last.rescaleSeconds(), "s", "", note);
        optional(
                report,
                "backend.minSecondOverMean" + suffix,
                largest.slowestSecondOverMean(),
                "ratio",
                ours ? ">= 0.5" : "",
                "whole seconds but the first, " + largest.keys() + " keys");
    }

    private static void optional(
            BenchReport report,
            String name,
            OptionalDouble value,
            String unit,
            String goal,
            String note) {
        if (value.isPresent()) {
            report.add(name, value.getAsDouble(), unit, goal, note);
        }
    }

    private static void compareBytes(
            BenchReport report, List<TrialResult> ours, List<TrialResult> rocks) {
        String peer = rocks.get(0).trial().engine().title();
        report.ratio(
                "backend.checkpoint.bytesRatioToRocksdb",
                spread(ours, TrialResult::bytesPerKey).median()
                        / spread(rocks, TrialResult::bytesPerKey).median(),
                peer,
                "<= 0.2",
                "bytes per key in a full checkpoint");
        report.ratio(
                "backend.checkpoint.uploadRatioToRocksdb",
                spread(ours, TrialResult::uploadedPerKey).median()
                        / spread(rocks, TrialResult::uploadedPerKey).median(),
                peer,
                "<= 0.2",
                "bytes per key that all incremental checkpoints of a trial wrote; the"
                        + " slower engine took more of them");
    }
}
