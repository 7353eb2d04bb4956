/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.keyvalue.KeyValueModel;
import io.sluice.filter.keyvalue.code.CodeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Errors after insertions at the same number of bits per key, each variant at its best k. */
final class EqualMemory {

    private static final String FILE = "kbf_equal_memory.csv";
    private static final int[] BITS = {32, 64, 96, 128};
    private static final String PAPER = "kBF-XOR-t2(paper 32-bit cells)";
    private static final String SIZED = "sized (the default of this library)";

    private static List<Variant> variants(Workload workload) {
        List<Variant> all = new ArrayList<>();
        all.add(new Variant(PAPER, CodeKind.BCH_PAIRS, 0, PaperKeyValueFilter.CELL_BITS));
        boolean few = workload.values() <= 64;
        all.add(
                Variant.of(
                        "kBF-XOR-t2(narrow cells)",
                        few ? CodeKind.GREEDY_XOR : CodeKind.BCH_PAIRS,
                        0));
        all.add(Variant.of("XOR-BCH-t3", CodeKind.BCH_TRIPLES, 0));
        for (int tag : few ? new int[] {0, 1, 2, 4, 8} : new int[] {0, 2, 4}) {
            all.add(Variant.of("product-h2, tag " + tag, CodeKind.PRODUCT_PAIRS, tag));
        }
        for (int tag : few ? new int[] {0, 2, 4, 6} : new int[] {0, 2, 4}) {
            all.add(Variant.of("product-h3, tag " + tag, CodeKind.PRODUCT_TRIPLES, tag));
        }
        all.add(Variant.of("XOR-t2, tag " + (few ? 4 : 2), CodeKind.BCH_PAIRS, few ? 4 : 2));
        return all;
    }

    private final KbfRun run;
    private final CsvTable table =
            new CsvTable(
                    "workload,bits_per_key,variant,cell_bits,cells_per_key,k,FN,FP_value,"
                            + "FP_any,wrong,sum_err,strict_sum_err,model_strict_sum_err");
    private final KbfAgreement model = new KbfAgreement("equalMemory.model");
    private int wrong;

    private EqualMemory(KbfRun run) {
        this.run = run;
    }

    /** Returns how many held keys got a wrong value, or were denied. */
    static int run(KbfRun run) throws IOException {
        run.report().progress("errors at equal memory, " + run.keys() + " keys");
        EqualMemory comparison = new EqualMemory(run);
        for (Workload workload : List.of(Workload.TCP, Workload.UNIFORM)) {
            comparison.workload(workload);
        }
        run.report().table(FILE, comparison.table);
        comparison.model.report(run.report());
        if (run.reference().isPresent()) {
            compare(run, run.reference().get().table("kbf_equal_memory_small.csv"));
        }
        return comparison.wrong;
    }

    private void workload(Workload workload) {
        Map<String, List<double[]>> lines = new LinkedHashMap<>();
        for (int bits : BITS) {
            for (Variant variant : variants(workload)) {
                double cells = variant.cellsPerKey(bits, workload.values());
                int k = variant.bestProbes(workload, cells);
                StaticErrors errors =
                        measure(workload, variant.filter(workload, cells, k, run.keys()));
                KeyValueModel expected = variant.model(workload, cells, k);
                row(
                        workload,
                        bits,
                        variant.name(),
                        variant.cellBits(workload.values()),
                        cells,
                        k,
                        errors,
                        expected.ambiguous() + expected.falsePositives(),
                        lines);
                String at = workload.name() + " " + bits + " " + variant.name();
                model.share(
                        at + " FN",
                        expected.ambiguous(),
                        Double.POSITIVE_INFINITY,
                        errors.ambiguousShare(),
                        run.keys());
                model.share(
                        at + " FP",
                        expected.falsePositives(),
                        Double.POSITIVE_INFINITY,
                        errors.falsePositiveShare(),
                        run.keys());
                if (variant.name().equals(PAPER) && bits == 64 && workload == Workload.TCP) {
                    figure(
                            "kbf.tcp.paperError64bits",
                            errors,
                            "",
                            "XOR code for pairs in cells of"
                                    + " 32 bits, k = "
                                    + k
                                    + ", queries intersected");
                }
            }
            sized(workload, bits, lines);
            stateBloom(workload, bits, lines);
            CuckooMaplet maplet = new CuckooMaplet(run.keys(), workload.values(), bits);
            rival(workload, bits, "cuckoo maplet", 2, maplet, lines);
            rival(
                    workload,
                    bits,
                    "quotient maplet",
                    1,
                    QuotientMaplet.ofBitsPerKey(run.keys(), workload.values(), bits),
                    lines);
        }
        ExactMap exact = new ExactMap(run.keys(), workload.values());
        int exactBits = (int) (8 * exact.sizeInBytes() / run.keys());
        rival(workload, exactBits, "exact map", 1, exact, new LinkedHashMap<>());
        Chart chart =
                Chart.logarithmic(
                        "Errors at equal memory, " + workload.name() + ", after insertions",
                        "bits per key",
                        "held keys not told right + absent keys with a value");
        lines.forEach(chart::measured);
        run.report().add(chart);
    }

    private void sized(Workload workload, int bits, Map<String, List<double[]>> lines) {
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder()
                        .probabilities(workload.probabilities())
                        .sized(run.keys(), bits)
                        .build();
        StaticErrors errors = measure(workload, filter);
        KeyValueModel expected =
                KeyValueModel.of(
                        filter.shape().code(),
                        filter.shape().probes(),
                        (double) filter.shape().cells() / run.keys(),
                        filter.shape().tagBits(),
                        workload.probabilities());
        String shape =
                String.format(
                        Locale.ROOT,
                        "%s, %d tag bits, counters of %d bits, k = %d, %.1f bits per key",
                        filter.shape().code(),
                        filter.shape().tagBits(),
                        filter.shape().counterBits(),
                        filter.shape().probes(),
                        8.0 * filter.sizeInBytes() / run.keys());
        row(
                workload,
                bits,
                SIZED,
                filter.shape().cellBits(),
                (double) filter.shape().cells() / run.keys(),
                filter.shape().probes(),
                errors,
                expected.ambiguous() + expected.falsePositives(),
                lines);
        if (bits == 64) {
            String name = workload == Workload.TCP ? "tcp" : "uniform3000";
            figure(
                    "kbf." + name + ".error64bits",
                    errors,
                    workload == Workload.TCP ? "<= 0.02" : "",
                    shape);
        }
    }

    /** Structures without cells. */
    private void rival(
            Workload workload,
            int bits,
            String name,
            int probes,
            KeyValueFilter filter,
            Map<String, List<double[]>> lines) {
        row(workload, bits, name, 0, 0, probes, measure(workload, filter), Double.NaN, lines);
    }

    private void figure(String name, StaticErrors errors, String goal, String how) {
        String detail =
                String.format(
                        Locale.ROOT,
                        "%s; %d held keys: ambiguous %.5f, wrong %d; as many absent: a value %.5f,"
                                + " ambiguous %.5f",
                        how,
                        errors.keys(),
                        errors.ambiguousShare(),
                        errors.wrong(),
                        errors.falseValueShare(),
                        errors.falsePositiveShare() - errors.falseValueShare());
        run.report().add(name, errors.total(), "probability", goal, detail);
    }

    private void stateBloom(Workload workload, int bits, Map<String, List<double[]>> lines) {
        int cellBits = StateBloomFilter.cellBits(workload.values());
        double cells = (double) bits / cellBits;
        StaticErrors best = null;
        int bestProbes = 0;
        for (int k = 2; k <= 16; k += 2) {
            StaticErrors errors =
                    StaticErrors.measure(
                            new StateBloomFilter(
                                    PartitionedCells.of(cells, k, run.keys()), workload.values()),
                            workload,
                            run.keys(),
                            run.seed());
            if (best == null || errors.total() < best.total()) {
                best = errors;
                bestProbes = k;
            }
        }
        row(workload, bits, "sBF", cellBits, cells, bestProbes, best, Double.NaN, lines);
    }

    private StaticErrors measure(Workload workload, KeyValueFilter filter) {
        StaticErrors errors = StaticErrors.measure(filter, workload, run.keys(), run.seed());
        wrong += errors.wrong();
        return errors;
    }

    private void row(
            Workload workload,
            int bits,
            String variant,
            int cellBits,
            double cells,
            int k,
            StaticErrors errors,
            double expected,
            Map<String, List<double[]>> lines) {
        table.add(
                workload.name(),
                bits,
                variant.replace(",", ""),
                cellBits,
                cells,
                k,
                errors.ambiguousShare(),
                errors.falseValueShare(),
                errors.falsePositiveShare(),
                errors.wrong(),
                errors.total(),
                errors.strictTotal(),
                Double.isNaN(expected) ? "" : expected);
        lines.computeIfAbsent(variant, name -> new ArrayList<>())
                .add(new double[] {bits, errors.total()});
    }

    /**
     * Compares the model at the reference's parameters with the reference's count of 60,000 keys.
     */
    private static void compare(KbfRun run, CsvTable theirs) {
        KbfAgreement tally = new KbfAgreement("equalMemory.closedFormAgainstReference");
        double sample = 60_000;
        for (int i = 0; i < theirs.size(); i++) {
            CodeKind code = codeOf(theirs.text(i, "variant"));
            if (code == null) {
                continue;
            }
            Workload workload =
                    theirs.text(i, "workload").equals(Workload.TCP.name())
                            ? Workload.TCP
                            : Workload.UNIFORM;
            KeyValueModel expected =
                    KeyValueModel.of(
                            code,
                            (int) theirs.number(i, "best_k"),
                            theirs.number(i, "bits_per_key") / theirs.number(i, "cell_bits"),
                            (int) theirs.number(i, "tag_bits"),
                            workload.probabilities());
            String at =
                    workload.name()
                            + " "
                            + theirs.text(i, "bits_per_key")
                            + " "
                            + theirs.text(i, "variant");
            tally.share(
                    at + " FN",
                    expected.ambiguous(),
                    Double.POSITIVE_INFINITY,
                    theirs.number(i, "FN"),
                    sample);
            tally.share(
                    at + " FP",
                    expected.falseValues(),
                    Double.POSITIVE_INFINITY,
                    theirs.number(i, "FP_intersect"),
                    sample);
        }
        tally.report(run.report());
    }

    private static CodeKind codeOf(String variant) {
        return switch (variant) {
            case "kBF-XOR-t2(paper)", "tag+XOR-t2" -> CodeKind.BCH_PAIRS;
            case "XOR-BCH-t3", "tag+XOR-t3" -> CodeKind.BCH_TRIPLES;
            case "BoseChowla-h2", "tag+BC-h2" -> CodeKind.PRODUCT_PAIRS;
            case "BoseChowla-h3", "tag+BC-h3" -> CodeKind.PRODUCT_TRIPLES;
            default -> null;
        };
    }
}
