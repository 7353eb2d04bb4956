/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.CsvTable;
import io.sluice.filter.KeyValueFilter;
import java.io.IOException;

/**
 * Maplets in so little memory that they err, compared with their model, which then predicts their
 * errors with more memory, where they are too rare to count.
 */
final class MapletErrors {

    private static final String FILE = "kbf_maplets.csv";

    /** Bits for each key in addition to its value. */
    private static final int[] BITS = {9, 11, 13, 15, 17, 20, 24};

    private final KbfRun run;
    private final CsvTable table =
            new CsvTable(
                    "workload,bits_per_key,maplet,fingerprint_bits,FN,FP_value,FP_any,"
                            + "wrong,sum_err,model_sum_err");
    private final KbfAgreement tally = new KbfAgreement("maplets.model");
    private int wrong;

    private MapletErrors(KbfRun run) {
        this.run = run;
    }

    /** Returns how many held keys got a wrong value, or were denied. */
    static int run(KbfRun run) throws IOException {
        run.report().progress("maplets with short fingerprints, " + run.keys() + " keys");
        MapletErrors errors = new MapletErrors(run);
        for (Workload workload : new Workload[] {Workload.TCP, Workload.UNIFORM}) {
            int valueBits = Integer.SIZE - Integer.numberOfLeadingZeros(workload.values() - 1);
            for (int bits : BITS) {
                errors.atBits(workload, bits + valueBits);
            }
        }
        run.report().table(FILE, errors.table);
        errors.tally.report(run.report());
        return errors.wrong;
    }

    private void atBits(Workload workload, int bits) {
        CuckooMaplet cuckoo = new CuckooMaplet(run.keys(), workload.values(), bits);
        // No fingerprint is 0.
        double fingerprints = Math.scalb(1.0, cuckoo.fingerprintBits()) - 1;
        double met = CuckooMaplet.slotsAsked() * CuckooMaplet.LOAD / fingerprints;
        row(workload, bits, "cuckoo", cuckoo.fingerprintBits(), met, cuckoo);
        QuotientMaplet quotient = QuotientMaplet.ofBitsPerKey(run.keys(), workload.values(), bits);
        double share = QuotientMaplet.LOAD / Math.scalb(1.0, quotient.remainderBits());
        row(workload, bits, "quotient", quotient.remainderBits(), share, quotient);
    }

    /**
     * A maplet, filled and looked up.
     *
     * @param met mean number of other keys with the fingerprint of a key
     */
    private void row(
            Workload workload,
            int bits,
            String name,
            int fingerprintBits,
            double met,
            KeyValueFilter maplet) {
        StaticErrors errors = StaticErrors.measure(maplet, workload, run.keys(), run.seed());
        wrong += errors.wrong();
        MapletModel model = MapletModel.of(met, workload.probabilities());
        table.add(
                workload.name(),
                bits,
                name,
                fingerprintBits,
                errors.ambiguousShare(),
                errors.falseValueShare(),
                errors.falsePositiveShare(),
                errors.wrong(),
                errors.total(),
                model.ambiguous() + model.falseValues());
        String at = workload.name() + " " + bits + " " + name;
        double exact = Double.POSITIVE_INFINITY;
        tally.share(at + " FN", model.ambiguous(), exact, errors.ambiguousShare(), run.keys());
        tally.share(
                at + " value", model.falseValues(), exact, errors.falseValueShare(), run.keys());
        tally.share(
                at + " FP", model.falsePositives(), exact, errors.falsePositiveShare(), run.keys());
    }
}
