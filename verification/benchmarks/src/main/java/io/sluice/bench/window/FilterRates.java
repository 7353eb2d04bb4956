/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.window;

import io.sluice.bench.peer.FastfilterBlockedBloom;
import io.sluice.bench.peer.FastfilterBloom;
import io.sluice.bench.rate.Contender;
import io.sluice.bench.rate.Keys;
import io.sluice.bench.rate.OneLineLimit;
import io.sluice.bench.rate.Rounds;
import io.sluice.bench.rate.Structure;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Spread;
import io.sluice.filter.FilterSizing;
import io.sluice.filter.plane.Layout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lookups and insertions compared with the limit and the peers, and the error that they cost. */
public final class FilterRates {
    private static final double FPP = 1e-3;
    private static final int BLOCKED_BITS = 16;
    private static final int FPP_PROBES = 2_000_000;

    /** Numbers of keys that no round has looked up yet. */
    private long next;

    private final BenchReport report;
    private final long bytes;
    private final int rounds;
    private final int operations;

    private FilterRates(BenchReport report) {
        this.report = report;
        this.bytes = report.quick() ? 32L << 20 : 128L << 20;
        this.rounds = report.quick() ? 3 : 5;
        this.operations = report.quick() ? 1_000_000 : 2_000_000;
    }

    public static void run(BenchReport report) throws IOException {
        new FilterRates(report).run();
    }

    private void run() throws IOException {
        report.progress(
                "throughput, one thread, "
                        + (bytes >> 20)
                        + " MB each, fpp "
                        + FPP
                        + ", "
                        + rounds
                        + " rounds in turns");
        double bloomBits = FilterSizing.bitsPerKey(FPP, FilterSizing.optimalProbes(FPP));
        Structure plain = new FastfilterBloom((long) (8 * bytes / bloomBits), bloomBits);
        Contender limit = Contender.of(new OneLineLimit(bytes, plain.capacity()));
        Contender bloom = Contender.of(plain);
        Contender blocked =
                Contender.of(new FastfilterBlockedBloom(8 * bytes / BLOCKED_BITS, BLOCKED_BITS));
        Contender table = Contender.of(WindowedStructure.ofBytes(bytes, FPP, Layout.FINGERPRINTS));
        Contender quotient = Contender.of(WindowedStructure.ofBytes(bytes, FPP, Layout.QUOTIENT));
        Contender one = Contender.of(ForgetfulStructure.ofBytes(bytes, FPP, 1, Layout.BLOCKED));
        Contender fourteen =
                Contender.of(ForgetfulStructure.ofBytes(bytes, FPP, 14, Layout.BLOCKED));
        List<Contender> all = List.of(limit, bloom, blocked, table, quotient, one, fourteen);
        // Filling takes longer than measuring, and is not measured.
        all.parallelStream().forEach(Contender::fill);
        Rounds timed = measure(all);
        CsvTable rows =
                new CsvTable(
                        "filter,bytes,keys,bits_per_key,absent_mops,present_mops,"
                                + "add_if_absent_mops,fpp");
        List<Double> errors = new ArrayList<>();
        for (Contender contender : all) {
            double fpp = contender.measuredFpp(fresh(FPP_PROBES), FPP_PROBES);
            errors.add(fpp);
            rows.add(
                    contender.name(),
                    contender.structure().sizeInBytes(),
                    contender.capacity(),
                    contender.bitsPerKey(),
                    timed.mops(contender.name() + "/absent"),
                    timed.mops(contender.name() + "/present"),
                    timed.mops(contender.name() + "/add"),
                    fpp);
            report.progress(
                    "    %-28s absent %6.1f  present %6.1f  add if absent %6.1f M/s  fpp"
                            + " %.2e  %5.1f bits/key",
                    contender.name(),
                    timed.mops(contender.name() + "/absent"),
                    timed.mops(contender.name() + "/present"),
                    timed.mops(contender.name() + "/add"),
                    fpp,
                    contender.bitsPerKey());
        }
        report.table("fbf_throughput.csv", rows);
        // The paper's filter, and those of the operators.
        ratios(timed, "fbf.", one, limit, bloom, errors.get(all.indexOf(one)));
        ratios(timed, "fbf.fingerprints.", table, limit, bloom, errors.get(all.indexOf(table)));
        ratio(timed, "fbf.fingerprints.addIfAbsent.ratioToBlocked", table, one, "add", "");
        ratios(timed, "fbf.quotient.", quotient, limit, bloom, errors.get(all.indexOf(quotient)));
        ratio(timed, "fbf.quotient.contains.ratioToFingerprints", quotient, table, "absent", "");
        ratio(timed, "fbf.quotient.addIfAbsent.ratioToFingerprints", quotient, table, "add", "");
        Spread n = timed.ratio(one.name() + "/absent", fourteen.name() + "/absent");
        report.ratio(
                "fbf.containsN14.ratioToN1",
                n.median(),
                one.name(),
                "<= 1.2",
                "time of a lookup, " + FPP + " and the same bytes for both; absent keys; " + n);
    }

    private void ratios(
            Rounds timed,
            String prefix,
            Contender ours,
            Contender limit,
            Contender bloom,
            double fpp) {
        ratio(timed, prefix + "contains.ratioToLimit", ours, limit, "absent", ">= 0.35");
        ratio(timed, prefix + "contains.ratioToPlainBloom", ours, bloom, "absent", ">= 1");
        ratio(timed, prefix + "containsPresent.ratioToLimit", ours, limit, "present", "");
        ratio(timed, prefix + "containsPresent.ratioToPlainBloom", ours, bloom, "present", "");
        ratio(timed, prefix + "addIfAbsent.ratioToLimit", ours, limit, "add", ">= 0.25");
        ratio(timed, prefix + "addIfAbsent.ratioToPlainBloom", ours, bloom, "add", ">= 1");
        report.add(
                prefix + "throughput.fpp",
                fpp,
                "probability",
                "<= " + FPP,
                "measured after the rounds, the window full");
    }

    private void ratio(
            Rounds timed, String name, Contender ours, Contender peer, String what, String goal) {
        Spread spread = timed.ratio(ours.name() + "/" + what, peer.name() + "/" + what);
        String note =
                String.format(
                        Locale.ROOT,
                        "%s, %d MB, %s; %.1f against %.1f M/s",
                        spread,
                        bytes >> 20,
                        what.equals("add") ? "50 % duplicates" : what + " keys",
                        timed.mops(ours.name() + "/" + what),
                        timed.mops(peer.name() + "/" + what));
        report.ratio(name, spread.median(), peer.name(), goal, note);
    }

    private Rounds measure(List<Contender> all) {
        Rounds timed = new Rounds();
        for (int round = 0; round <= rounds; round++) {
            for (Contender contender : all) {
                Keys absent = Keys.absent();
                Keys present = Keys.present(contender.capacity());
                Keys half = Keys.half(contender.capacity());
                timed.time(
                        contender.name() + "/absent",
                        round,
                        operations,
                        () -> contender.contains(absent, fresh(operations), operations));
                timed.time(
                        contender.name() + "/present",
                        round,
                        operations,
                        () -> contender.contains(present, fresh(operations), operations));
                // Fewer, because additions fill filters without a window.
                int adds = operations / 4;
                timed.time(
                        contender.name() + "/add",
                        round,
                        adds,
                        () -> contender.addIfAbsent(half, fresh(adds), adds));
            }
        }
        return timed;
    }

    private long fresh(int count) {
        long from = next;
        next += count;
        return from;
    }
}
