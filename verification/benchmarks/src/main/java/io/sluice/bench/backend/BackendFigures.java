/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.backend.Trial.Api;
import io.sluice.bench.backend.Trial.IdKind;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** Turns the results of all trials into figures and checks. */
final class BackendFigures {
    private final BenchReport report;
    private final List<TrialResult> results = new ArrayList<>();

    BackendFigures(BenchReport report) {
        this.report = report;
    }

    void add(TrialResult result) {
        results.add(result);
    }

    void report() throws IOException {
        new BackendTables(results).report(report);
        Set<String> seen = new LinkedHashSet<>();
        List<Trial> trials =
                results.stream()
                        .map(TrialResult::trial)
                        .filter(trial -> seen.add(trial.toString()))
                        .toList();
        trials.forEach(this::check);
        for (Trial trial : trials) {
            Spread rates = rates(of(trial.api(), trial.ids(), trial.parallelism(), trial.engine()));
            report.add(
                    "backend." + trial.group() + "." + trial.engine().id() + ".perSecond",
                    rates.median(),
                    "records/s",
                    "",
                    trial.engine().title() + ", " + trial.records() + " records, " + rates);
        }
        ratios();
        costs(of(Engine.CASCADE));
        costs(of(Engine.ROCKSDB));
        growth();
        bytes();
    }

    /** The trials that are compared; trials with growing numbers of keys are only drawn. */
    private List<TrialResult> of(Api api, IdKind ids, int parallelism, Engine engine) {
        List<TrialResult> same =
                results.stream()
                        .filter(result -> result.trial().is(api, ids, parallelism, engine))
                        .toList();
        return same.stream()
                .filter(result -> result.trial().records() == same.get(0).trial().records())
                .toList();
    }

    private List<TrialResult> of(Api api, Engine engine) {
        return of(api, IdKind.LONG, 2, engine);
    }

    private List<TrialResult> of(Engine engine) {
        return of(Api.DATASTREAM, engine);
    }

    private static Spread spread(List<TrialResult> of, ToDoubleFunction<TrialResult> value) {
        return Spread.of(of.stream().mapToDouble(value).boxed().toList());
    }

    private static Spread rates(List<TrialResult> of) {
        return spread(of, TrialResult::recordsPerSecond);
    }

    /**
     * Checks that no more first occurrences are dropped than configured, and that no duplicate
     * passes.
     */
    private void check(Trial trial) {
        Engine engine = trial.engine();
        long expected = 0;
        boolean holds = true;
        long dropped = 0;
        for (TrialResult each : of(trial.api(), trial.ids(), trial.parallelism(), engine)) {
            expected = engine == Engine.NOOP ? each.trial().records() : each.keys();
            double allowed = expected * engine.falsePositiveProbability();
            dropped = expected - each.passed();
            holds &= dropped >= 0 && dropped <= allowed + 5 * Math.sqrt(allowed);
        }
        report.check(
                "backend." + trial.group() + "." + engine.id() + ".passed",
                holds,
                "%d of %d first occurrences dropped",
                dropped,
                expected);
    }

    private void ratios() {
        List<TrialResult> ours = of(Engine.CASCADE);
        List<TrialResult> rocks = of(Engine.ROCKSDB);
        if (!ours.isEmpty()) {
            Spread rates = rates(ours);
            report.add(
                    "backend.datastream.perSecond",
                    rates.median(),
                    "records/s",
                    "",
                    rates.toString());
        }
        ratio("backend.datastream.ratioToRocksdb", ours, rocks, ">= 20");
        ratio("backend.datastream.ratioToNoop", ours, of(Engine.NOOP), ">= 0.45");
        ratio("backend.datastream.ratioToOneLine", ours, of(Engine.ONE_LINE), "");
        ratio(
                "backend.sql.ratioToRocksdb",
                of(Api.SQL, Engine.CASCADE),
                of(Api.SQL, Engine.ROCKSDB),
                ">= 7");
        ratio("backend.datastream.ratioToTunedRocksdb", ours, of(Engine.ROCKSDB_TUNED), ">= 20");
        List<TrialResult> forever = of(Engine.FOREVER);
        ratio("operator.forever.ratioToTunedRocksdb", forever, of(Engine.ROCKSDB_TUNED), ">= 20");
        ratio("operator.forever.ratioToRocksdb", forever, rocks, "");
        ratio("operator.forever.ratioToOneLine", forever, of(Engine.ONE_LINE), ">= 0.75");
        ratio("operator.forever.ratioToNoop", forever, of(Engine.NOOP), "");
        ratio("operator.forever.ratioToFlag", forever, ours, "");
        ratio(
                "backend.sqlRowtime.ratioToRocksdb",
                of(Api.SQL_ROWTIME, Engine.CASCADE),
                of(Api.SQL_ROWTIME, Engine.ROCKSDB),
                ">= 8");
        ratio(
                "backend.ptf.ratioToRowNumber",
                of(Api.SQL_PTF, Engine.CASCADE),
                of(Api.SQL, Engine.CASCADE),
                ">= 1");
        ratio(
                "backend.countDistinct.ratioToRocksdb",
                of(Api.SQL_COUNT_DISTINCT, Engine.CASCADE),
                of(Api.SQL_COUNT_DISTINCT, Engine.ROCKSDB),
                ">= 8");
        List<TrialResult> defaults = of(Engine.CASCADE_DEFAULT);
        ratio("backend.default.ratioToRocksdb", defaults, rocks, "");
        if (!defaults.isEmpty()) {
            bytesPerKey("backend.default.bytesPerKey", defaults, "");
        }
    }

    private void ratio(String name, List<TrialResult> ours, List<TrialResult> peer, String goal) {
        if (!ours.isEmpty() && !peer.isEmpty()) {
            Trial other = peer.get(0).trial();
            report.ratio(
                    name,
                    rates(ours).median() / rates(peer).median(),
                    other.engine().title(),
                    goal,
                    "%d records, %s; peer %d records, %s",
                    ours.get(0).trial().records(),
                    rates(ours),
                    other.records(),
                    rates(peer));
        }
    }

    private void bytesPerKey(String name, List<TrialResult> of, String goal) {
        Spread bytes = spread(of, TrialResult::bytesPerKey);
        report.add(
                name,
                bytes.median(),
                "bytes",
                goal,
                "full checkpoint of %d keys, %s",
                of.get(of.size() - 1).keys(),
                bytes);
    }

    /** Sizes and times of one engine's state. */
    private void costs(List<TrialResult> of) {
        if (of.isEmpty()) {
            return;
        }
        TrialResult last = of.get(of.size() - 1);
        Engine engine = last.trial().engine();
        boolean ours = engine.isCascade();
        String suffix = ours ? "" : "." + engine.id();
        String note = last.keys() + " keys";
        bytesPerKey("backend.bytesPerKey" + suffix, of, ours ? "<= 2.2" : "");
        TrialResult largest =
                results.stream()
                        .filter(result -> result.trial().engine() == engine)
                        .max(Comparator.comparingLong(TrialResult::keys))
                        .orElseThrow();
        report.add(
                "backend.checkpoint.syncMillis" + suffix,
                (double) largest.longestSyncMillis(),
                "ms",
                ours ? "<= 10" : "",
                "longest of all checkpoints up to " + largest.keys() + " keys");
        optional("backend.restoreSeconds" + suffix, last.restoreSeconds(), "s", "", note);
        optional("backend.rescaleSeconds" + suffix, last.rescaleSeconds(), "s", "", note);
        optional(
                "backend.minSecondOverMean" + suffix,
                largest.slowestSecondOverMean(),
                "ratio",
                ours ? ">= 0.5" : "",
                "whole seconds but the first, " + largest.keys() + " keys");
    }

    /** What becomes of the cascade's rate and uploads when there are very many keys. */
    private void growth() {
        results.stream()
                .filter(result -> result.trial().engine().isCascade())
                .filter(result -> result.lastRateOverFirst().isPresent())
                .max(Comparator.comparingLong(TrialResult::keys))
                .ifPresent(this::growth);
    }

    private void growth(TrialResult largest) {
        String note = largest.keys() + " keys, " + largest.trial().engine().title();
        optional(
                "backend.growth.rateRatio",
                largest.lastRateOverFirst(),
                "ratio",
                ">= 0.5",
                "the last tenth of the records over those around the ten millionth, " + note);
        optional(
                "backend.growth.minSecondOverMean",
                largest.slowestSecondOverMean(),
                "ratio",
                ">= 0.25",
                "whole seconds but the first, " + note);
        report.add(
                "backend.growth.uploadedPerKey",
                largest.uploadedPerKey(),
                "bytes",
                "<= 8",
                "all incremental checkpoints together, " + note);
    }

    private void optional(
            String name, OptionalDouble value, String unit, String goal, String note) {
        value.ifPresent(number -> report.add(name, number, unit, goal, note));
    }

    private void bytes() {
        bytesRatio(
                "backend.checkpoint.bytesRatioToRocksdb",
                TrialResult::bytesPerKey,
                "bytes per key in a full checkpoint");
        bytesRatio(
                "backend.checkpoint.uploadRatioToRocksdb",
                TrialResult::uploadedPerKey,
                "bytes per key that all incremental checkpoints of a trial wrote; the slower"
                        + " engine took more of them");
    }

    private void bytesRatio(String name, ToDoubleFunction<TrialResult> bytes, String note) {
        List<TrialResult> ours = of(Engine.CASCADE);
        List<TrialResult> rocks = of(Engine.ROCKSDB);
        if (!ours.isEmpty() && !rocks.isEmpty()) {
            double ratio = spread(ours, bytes).median() / spread(rocks, bytes).median();
            report.ratio(name, ratio, Engine.ROCKSDB.title(), "<= 0.2", note);
        }
    }
}
