/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.window;

import io.sluice.bench.jmh.Throughput;
import io.sluice.bench.jmh.TimedOperation;
import io.sluice.bench.peer.ForgetfulStructure;
import io.sluice.bench.peer.Peer;
import io.sluice.bench.peer.Peers;
import io.sluice.bench.peer.WindowedStructure;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Spread;
import io.sluice.filter.FilterSizing;
import io.sluice.filter.plane.Layout;
import java.io.IOException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Lookups and additions beside the limit and the peers at equal memory, and the error they cost.
 */
public final class FilterRates {
    private static final double FPP = 1e-3;
    private static final Set<TimedOperation> OPERATIONS =
            EnumSet.of(TimedOperation.PRESENT, TimedOperation.ABSENT, TimedOperation.ADD_IF_ABSENT);
    private static final Peer ONE = ForgetfulStructure.peer(1);
    private static final Peer FOURTEEN = ForgetfulStructure.peer(14);

    private final BenchReport report;
    private final Throughput measured;
    private final long bytes;

    private FilterRates(BenchReport report) {
        this.report = report;
        this.measured = new Throughput(report, 1);
        this.bytes = report.quick() ? 32L << 20 : 128L << 20;
    }

    public static void run(BenchReport report) throws IOException {
        new FilterRates(report).run();
    }

    private void run() throws IOException {
        int rounds = report.quick() ? 1 : 3;
        report.progress(
                "throughput, one thread, %d MB each, fpp %s, %d rounds in turns",
                bytes >> 20, FPP, rounds);
        Map<Peer, Peer.Size> sizes = sizes();
        measured.measure(sizes, OPERATIONS, rounds);
        CsvTable rows =
                new CsvTable(
                        "filter,bytes,keys,bits_per_key,absent_mops,present_mops,"
                                + "add_if_absent_mops,fpp");
        sizes.forEach((peer, size) -> row(rows, peer, size.keys()));
        report.table("fbf_throughput.csv", rows);
        // The paper's filter, and those of the operators.
        ratios("fbf.", ONE);
        ratios("fbf.fingerprints.", Peers.FINGERPRINTS);
        ratio("fbf.fingerprints.addIfAbsent.ratioToBlocked", Peers.FINGERPRINTS, ONE, "");
        ratios("fbf.quotient.", Peers.WINDOWED_QUOTIENT);
        Peer table = Peers.FINGERPRINTS;
        ratio("fbf.quotient.contains.ratioToFingerprints", Peers.WINDOWED_QUOTIENT, table, "");
        ratio("fbf.quotient.addIfAbsent.ratioToFingerprints", Peers.WINDOWED_QUOTIENT, table, "");
        // The times' ratio is the inverse of that of the rates.
        Spread n = measured.ratio(ONE.id(), FOURTEEN.id(), TimedOperation.ABSENT);
        report.ratio(
                "fbf.containsN14.ratioToN1",
                n.median(),
                ONE.name(),
                "<= 1.2",
                "time of a lookup, " + FPP + " and the same bytes for both; absent keys; " + n);
    }

    /** As many keys as fit into the bytes. */
    private Map<Peer, Peer.Size> sizes() {
        double bloomBits = FilterSizing.bitsPerKey(FPP, FilterSizing.optimalProbes(FPP));
        Map<Peer, Peer.Size> sizes = new LinkedHashMap<>();
        sizes.put(Peers.ONE_LINE, new Peer.Size((int) (bytes * 2 / 3), FPP));
        sizes.put(Peers.FASTFILTER_BLOOM, Peer.Size.ofKeys((long) (8 * bytes / bloomBits), FPP));
        sizes.put(Peers.FASTFILTER_BLOCKED, Peer.Size.ofKeys(8 * bytes / Peers.BLOCKED_BITS, FPP));
        for (Layout layout : Layout.forWindows()) {
            sizes.put(
                    layout == Layout.QUOTIENT ? Peers.WINDOWED_QUOTIENT : Peers.FINGERPRINTS,
                    Peer.Size.ofKeys(WindowedStructure.idsThatFit(bytes, FPP, layout), FPP));
        }
        sizes.put(ONE, Peer.Size.ofKeys(ForgetfulStructure.idsThatFit(bytes, FPP, 1), FPP));
        sizes.put(FOURTEEN, Peer.Size.ofKeys(ForgetfulStructure.idsThatFit(bytes, FPP, 14), FPP));
        return sizes;
    }

    private void row(CsvTable rows, Peer peer, long keys) {
        double absent = measured.mops(peer.id(), TimedOperation.ABSENT).median();
        double present = measured.mops(peer.id(), TimedOperation.PRESENT).median();
        double add = measured.mops(peer.id(), TimedOperation.ADD_IF_ABSENT).median();
        double bits = measured.bitsPerKey(peer.id());
        double fpp = measured.fpp(peer.id());
        rows.add(peer.name(), Math.rint(bits * keys / 8), keys, bits, absent, present, add, fpp);
        report.progress(
                "    %-28s absent %6.1f  present %6.1f  add if absent %6.1f M/s  fpp %.2e  %5.1f"
                        + " bits/key",
                peer.name(), absent, present, add, fpp, bits);
    }

    private void ratios(String prefix, Peer ours) {
        ratio(prefix + "contains.ratioToLimit", ours, Peers.ONE_LINE, ">= 0.35");
        ratio(prefix + "contains.ratioToPlainBloom", ours, Peers.FASTFILTER_BLOOM, ">= 1");
        ratio(prefix + "containsPresent.ratioToLimit", ours, Peers.ONE_LINE, "");
        ratio(prefix + "containsPresent.ratioToPlainBloom", ours, Peers.FASTFILTER_BLOOM, "");
        ratio(prefix + "addIfAbsent.ratioToLimit", ours, Peers.ONE_LINE, ">= 0.25");
        ratio(prefix + "addIfAbsent.ratioToPlainBloom", ours, Peers.FASTFILTER_BLOOM, ">= 1");
        report.add(
                prefix + "throughput.fpp",
                measured.fpp(ours.id()),
                "probability",
                "<= " + FPP,
                "measured when the window is full");
    }

    /** Of the operation that the name of the figure says. */
    private void ratio(String name, Peer ours, Peer peer, String goal) {
        TimedOperation operation =
                name.contains("addIfAbsent")
                        ? TimedOperation.ADD_IF_ABSENT
                        : name.contains("Present") ? TimedOperation.PRESENT : TimedOperation.ABSENT;
        Spread spread = measured.ratio(ours.id(), peer.id(), operation);
        report.ratio(
                name,
                spread.median(),
                peer.name(),
                goal,
                "%s, %d MB, %s; %.1f against %.1f M/s",
                spread,
                bytes >> 20,
                operation.meaning(),
                measured.mops(ours.id(), operation).median(),
                measured.mops(peer.id(), operation).median());
    }
}
