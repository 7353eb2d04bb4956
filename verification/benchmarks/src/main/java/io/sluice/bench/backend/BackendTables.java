/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.backend.Trial.Api;
import io.sluice.bench.backend.Trial.IdKind;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The results of all trials as tables and charts. */
final class BackendTables {
    private final List<TrialResult> results;

    BackendTables(List<TrialResult> results) {
        this.results = results;
    }

    void report(BenchReport report) throws IOException {
        report.table("backend-checkpoints.csv", checkpointTable());
        report.table("backend-seconds.csv", secondTable());
        charts(report);
    }

    private static String name(TrialResult result) {
        return result.trial().group() + "." + result.trial().engine().id();
    }

    private Table checkpointTable() {
        Table table =
                Table.of(
                        ("trial,records,round,checkpoint,kind,state_bytes,new_bytes,sync_ms,"
                                        + "async_ms,total_ms")
                                .split(","));
        for (TrialResult result : results) {
            for (CheckpointCost cost : result.checkpoints()) {
                table.add(
                        name(result),
                        result.trial().records(),
                        result.round(),
                        cost.id(),
                        cost.id() == result.full().id() ? "full" : "incremental",
                        cost.stateBytes(),
                        cost.newBytes(),
                        cost.syncMillis(),
                        cost.asyncMillis(),
                        cost.millis());
            }
        }
        return table;
    }

    private Table secondTable() {
        Table table = Table.of("trial,records,round,second,emitted".split(","));
        for (TrialResult result : results) {
            int second = 0;
            for (long emitted : result.perSecond()) {
                long records = result.trial().records();
                table.add(name(result), records, result.round(), second++, emitted);
            }
        }
        return table;
    }

    private void charts(BenchReport report) {
        Chart seconds =
                Chart.logarithmic(
                        "Records in each second, long ids, parallelism 2, largest trial",
                        "seconds",
                        "records/s");
        Chart rates =
                Chart.logarithmic(
                        "Throughput with growing numbers of keys", "million keys", "records/s");
        Chart bytes =
                Chart.linear("State with growing numbers of keys", "million keys", "bytes per key");
        Chart sync =
                Chart.linear(
                        "Longest synchronous part of a checkpoint", "million keys", "milliseconds");
        for (Engine engine : Engine.values()) {
            List<TrialResult> growing = growing(engine);
            if (growing.isEmpty()) {
                continue;
            }
            TrialResult largest = growing.get(growing.size() - 1);
            List<double[]> perSecond = new ArrayList<>();
            for (int second = 0; second < largest.perSecond().size(); second++) {
                perSecond.add(new double[] {second, largest.perSecond().get(second)});
            }
            seconds.measured(engine.title(), perSecond);
            if (engine.keepsState()) {
                rates.measured(engine.title(), points(growing, TrialResult::recordsPerSecond));
                bytes.measured(engine.title(), points(growing, TrialResult::bytesPerKey));
                sync.measured(engine.title(), points(growing, TrialResult::longestSyncMillis));
            }
        }
        for (Chart chart : List.of(seconds, rates, bytes, sync)) {
            report.add(chart);
        }
    }

    /** DataStream trials of one engine with long ids and parallelism 2, by number of keys. */
    private List<TrialResult> growing(Engine engine) {
        return results.stream()
                .filter(
                        result ->
                                result.trial().is(Api.DATASTREAM, IdKind.LONG, 2, engine)
                                        && result.round() == 1)
                .sorted(Comparator.comparingLong(result -> result.trial().records()))
                .toList();
    }

    private static List<double[]> points(
            List<TrialResult> of, ToDoubleFunction<TrialResult> value) {
        return of.stream()
                .map(result -> new double[] {result.keys() / 1e6, value.applyAsDouble(result)})
                .toList();
    }
}
