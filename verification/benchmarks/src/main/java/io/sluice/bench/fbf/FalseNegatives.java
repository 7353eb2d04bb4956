/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.capture.SplitMix64;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Elements inside the window that are denied: by Algorithm 2 to the letter, and by the corrected
 * rule. Every slice gets the same number of elements; lookups happen at three phases between two
 * refreshes.
 */
final class FalseNegatives {
    private static final String FILE = "fbf_false_negatives.csv";
    private static final int[] PAST = {1, 2, 4, 10, 22};
    private static final double[] PHASES = {0.01, 0.5, 0.99};
    private static final int PERIOD = 5;
    private static final int PER_SLICE = 40;
    private static final int REALISATIONS = 20;

    private FalseNegatives() {}

    private record Counts(long window, long missedInWindow, long coverage, long missedInCoverage) {}

    static void run(FbfRun run) throws IOException {
        BenchReport report = run.report();
        report.progress("false negatives: Algorithm 2 to the letter and corrected");
        CsvTable table =
                new CsvTable(
                        "N,t,phase_frac,algo,checked_within_(N+1)t,false_neg_within,"
                                + "checked_coverage,false_neg_coverage");
        List<double[]> literal = new ArrayList<>();
        List<double[]> corrected = new ArrayList<>();
        long missed = 0;
        long literalMissed = 0;
        boolean agrees = true;
        CsvTable theirs = run.reference().isPresent() ? run.reference().get().table(FILE) : null;
        for (int past : PAST) {
            for (double phase : PHASES) {
                for (boolean asPrinted : new boolean[] {true, false}) {
                    Counts counts = count(run, past, phase, asPrinted);
                    String algorithm = asPrinted ? "literalAlg2" : "corrected";
                    table.add(
                            past,
                            PERIOD,
                            String.format("%.2f", phase),
                            algorithm,
                            counts.window,
                            counts.missedInWindow,
                            counts.coverage,
                            counts.missedInCoverage);
                    if (asPrinted) {
                        literalMissed += counts.missedInWindow;
                    } else {
                        missed += counts.missedInCoverage;
                    }
                    if (phase == PHASES[0]) {
                        (asPrinted ? literal : corrected)
                                .add(new double[] {past, counts.missedInWindow});
                    }
                    if (theirs != null) {
                        agrees &= agrees(theirs, past, phase, algorithm, counts);
                    }
                }
            }
        }
        report.table(FILE, table);
        report.add(
                Chart.linear(
                                "False negatives inside the window, just after a refresh",
                                "past filters N",
                                "elements denied")
                        .measured("Algorithm 2 to the letter", literal)
                        .measured("corrected rule", corrected)
                        .note(
                                "With more than one past filter the else-if chain of Algorithm 2"
                                    + " never checks the oldest filter alone: an element that is"
                                    + " only there is denied, although it is inside the window of"
                                    + " (N+1) t."));
        report.check(
                "fbf.correctedRule",
                missed == 0 && literalMissed > 0,
                missed + " denied by the corrected rule, " + literalMissed + " to the letter");
        if (theirs != null) {
            report.check(
                    "fbf.reference.falseNegatives",
                    agrees,
                    "30 rows, within one element per slice and realisation");
        }
    }

    private static Counts count(FbfRun run, int past, double phase, boolean asPrinted) {
        Subject.Factory factory =
                asPrinted ? Subject.plain(PlainFilters.Rule.LITERAL) : Subject.sluicePaperRule();
        int newest = (int) (phase * PER_SLICE);
        long window = 0;
        long missedInWindow = 0;
        long coverage = 0;
        long missedInCoverage = 0;
        for (int r = 0; r < REALISATIONS; r++) {
            Subject subject = factory.create(FbfRun.BITS, FbfRun.HASHES, past);
            long key = SplitMix64.mix(run.seed() + r);
            // Two more slices than the filter holds, so that something has been forgotten.
            int slices = past + 4;
            for (int slice = slices - 1; slice >= 0; slice--) {
                int elements = slice == 0 ? newest : PER_SLICE;
                for (int i = 0; i < elements; i++) {
                    subject.add(element(key, slice, i));
                }
                if (slice > 0) {
                    subject.refresh();
                }
            }
            // Guaranteed: N + 1 periods back. Held: the newest slice and N + 1 full ones.
            int guaranteed = (past + 1) * PER_SLICE;
            int age = 0;
            for (int slice = 0; slice <= past + 1; slice++) {
                int elements = slice == 0 ? newest : PER_SLICE;
                for (int i = elements - 1; i >= 0; i--) {
                    boolean denied = !subject.mightContain(element(key, slice, i));
                    coverage++;
                    missedInCoverage += denied ? 1 : 0;
                    if (age++ < guaranteed) {
                        window++;
                        missedInWindow += denied ? 1 : 0;
                    }
                }
            }
        }
        return new Counts(window, missedInWindow, coverage, missedInCoverage);
    }

    private static long element(long key, int slice, int i) {
        return SplitMix64.mix(key + ((long) slice << 32) + i);
    }

    /** The reference places elements in time: one more or less of them falls into a slice. */
    private static boolean agrees(
            CsvTable theirs, int past, double phase, String algorithm, Counts counts) {
        for (int i = 0; i < theirs.size(); i++) {
            if (theirs.number(i, "N") == past
                    && theirs.number(i, "phase_frac") == phase
                    && theirs.text(i, "algo").equals(algorithm)) {
                long missed = (long) theirs.number(i, "false_neg_within");
                long covered = (long) theirs.number(i, "checked_coverage");
                return Math.abs(missed - counts.missedInWindow) <= REALISATIONS
                        && Math.abs(covered - counts.coverage) <= 2 * REALISATIONS;
            }
        }
        return false;
    }
}
