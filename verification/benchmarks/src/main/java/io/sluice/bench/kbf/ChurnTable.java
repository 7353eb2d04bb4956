/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.keyvalue.KeyValueSizing;
import io.sluice.filter.keyvalue.code.CodeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@link Churn} over four life cycles for all variants at equal memory. */
final class ChurnTable {

    private static final String FILE = "kbf_churn_tcp.csv";
    private static final int CYCLES = 4;
    private static final int SIZED_COUNTER_BITS = 4;

    /** Cells per key at 64, 96 and 128 bits, as in the reference. */
    private record Row(Variant variant, int at64, int at96, int at128) {
        int probes(int column) {
            return column == 0 ? at64 : column == 1 ? at96 : at128;
        }
    }

    private static final int[] BITS = {64, 96, 128};

    private static final List<Row> ROWS =
            List.of(
                    new Row(new Variant("kBF-XOR-t2(paper)", CodeKind.BCH_PAIRS, 0, 32), 2, 2, 3),
                    new Row(Variant.of("kBF-XOR-t2(paper)", CodeKind.GREEDY_XOR, 0), 4, 7, 9),
                    new Row(Variant.of("product-h2", CodeKind.PRODUCT_PAIRS, 0), 4, 6, 8),
                    new Row(Variant.of("product-h3", CodeKind.PRODUCT_TRIPLES, 0), 3, 4, 6),
                    new Row(Variant.of("tag+product-h2", CodeKind.PRODUCT_PAIRS, 1), 3, 5, 7),
                    new Row(Variant.of("tag+product-h2", CodeKind.PRODUCT_PAIRS, 2), 3, 4, 6),
                    new Row(Variant.of("tag+product-h2", CodeKind.PRODUCT_PAIRS, 4), 2, 4, 5),
                    new Row(Variant.of("tag+product-h3", CodeKind.PRODUCT_TRIPLES, 2), 2, 3, 4),
                    new Row(Variant.of("tag+product-h3", CodeKind.PRODUCT_TRIPLES, 4), 2, 2, 3));

    private static final int[] STATE_BLOOM_PROBES = {6, 10, 13};

    /** Too few for filters without their own sizing, and for the reference. */
    private static final int FEWEST_BITS = 32;

    private static final int FEWEST_STATE_BLOOM_PROBES = 3;

    private final KbfRun run;
    private final CsvTable table =
            new CsvTable(
                    "bits_per_flow,variant,tag,cell_bits,k,life_cycles,DK_rate,wrong_rate,"
                            + "zombies_per_flow,FP_absent,sum_err,stuck_cells_per_flow");
    private final KbfAgreement tally = new KbfAgreement("churn");
    private final CsvTable theirs;
    private final List<double[]> sizedLine = new ArrayList<>();
    private final List<double[]> exactLine = new ArrayList<>();
    private final List<double[]> paperLine = new ArrayList<>();
    private final List<double[]> stateLine = new ArrayList<>();

    private ChurnTable(KbfRun run) throws IOException {
        this.run = run;
        theirs = run.reference().isPresent() ? run.reference().get().table(FILE) : null;
    }

    static void run(KbfRun run) throws IOException {
        run.report().progress("four life cycles of TCP-like flows, " + run.flows() + " at a time");
        ChurnTable churn = new ChurnTable(run);
        churn.rivals(FEWEST_BITS, FEWEST_STATE_BLOOM_PROBES);
        for (int i = 0; i < BITS.length; i++) {
            churn.plain(BITS[i], i);
            churn.rivals(BITS[i], STATE_BLOOM_PROBES[i]);
        }
        run.report().table(FILE, churn.table);
        run.report()
                .add(
                        Chart.logarithmic(
                                        "TCP-like flows coming and going, 64 bits a flow",
                                        "life cycles",
                                        "live flows not told right + absent keys with a value")
                                .measured("sized, as the library does", churn.sizedLine)
                                .measured("and ambiguous keys kept exactly", churn.exactLine)
                                .measured("paper, 32-bit cells", churn.paperLine)
                                .measured("sBF", churn.stateLine));
        if (churn.theirs != null) {
            churn.tally.report(run.report());
        }
    }

    /** Key-value Bloom filters without their own sizing. */
    private void plain(int bits, int column) {
        int values = Churn.STATES.values();
        for (Row row : ROWS) {
            Variant variant = row.variant;
            int cellBits = variant.cellBits(values);
            KeyValueBloomFilter filter =
                    variant.filter(
                            Churn.STATES,
                            (double) bits / cellBits,
                            row.probes(column),
                            run.flows());
            live(
                    bits,
                    variant.name(),
                    variant.tagBits(),
                    cellBits,
                    row.probes(column),
                    filter,
                    false,
                    bits == 64 && variant.paidBits() > 0 ? paperLine : null);
        }
    }

    /** Filters that size themselves to the memory. */
    private void rivals(int bits, int stateBloomProbes) {
        int values = Churn.STATES.values();
        int cellBits = StateBloomFilter.cellBits(values);
        int k = stateBloomProbes;
        PartitionedCells cells = PartitionedCells.of((double) bits / cellBits, k, run.flows());
        // Its changes need no old value, so they are always possible.
        live(
                bits,
                "sBF",
                0,
                cellBits,
                k,
                new StateBloomFilter(cells, values),
                true,
                bits == 64 ? stateLine : null);
        live(bits, "sized", sized(bits, 0), false, bits == 64 ? sizedLine : null);
        Churn.Rates exact =
                live(
                        bits,
                        "sized + exact keys",
                        sized(bits, run.flows() / 50),
                        false,
                        bits == 64 ? exactLine : null);
        live(bits, "sized; caller knows the state", sized(bits, 0), true, null);
        int room = run.flows() * 11 / 10;
        CuckooMaplet cuckoo = new CuckooMaplet(room, values, bits / 1.1);
        live(bits, "cuckoo maplet", 0, 0, 2, cuckoo, false, null);
        QuotientMaplet quotient = QuotientMaplet.ofBitsPerKey(room, values, bits / 1.1);
        live(bits, "quotient maplet", 0, 0, 1, quotient, false, null);
        ExactMap map = new ExactMap(run.flows(), values);
        live(bits, "exact map", 0, 0, 1, map, false, null);
        if (bits == 64) {
            run.report()
                    .add(
                            "kbf.tcp.churnError64bits",
                            exact.total(),
                            "probability",
                            "",
                            "after four life cycles: live flows not told right + absent"
                                    + " keys with a value; sized, up to 2 percent of the keys kept"
                                    + " exactly besides");
        }
    }

    private KeyValueBloomFilter sized(int bits, int exactKeys) {
        KeyValueSizing.Plan plan =
                KeyValueSizing.best(bits, SIZED_COUNTER_BITS, 6, Churn.STATES.probabilities());
        return KeyValueBloomFilter.builder()
                .probabilities(Churn.STATES.probabilities())
                .counterBits(SIZED_COUNTER_BITS)
                // Zombies are keys too: only the memory is that of this many flows.
                .shape(
                        plan.shape(Churn.STATES.values(), SIZED_COUNTER_BITS, run.flows(), 0),
                        Long.MAX_VALUE)
                .exactKeys(exactKeys)
                .build();
    }

    private Churn.Rates live(
            int bits, String name, KeyValueBloomFilter filter, boolean knows, List<double[]> line) {
        return live(
                bits,
                name,
                filter.shape().tagBits(),
                filter.shape().cellBits(),
                filter.shape().probes(),
                filter,
                knows,
                line);
    }

    private Churn.Rates live(
            int bits,
            String name,
            int tag,
            int cellBits,
            int k,
            KeyValueFilter filter,
            boolean knows,
            List<double[]> line) {
        Churn churn = new Churn(filter, run.flows(), knows, run.seed());
        Churn.Rates rates = churn.rates();
        for (int cycle = 0; cycle <= CYCLES; cycle++) {
            for (int step = 0; cycle > 0 && step < Churn.STEPS; step++) {
                churn.step();
            }
            rates = churn.rates();
            double stuck =
                    filter instanceof KeyValueBloomFilter cells
                            ? (double) cells.stuckCells() / run.flows()
                            : 0;
            table.add(
                    bits,
                    name,
                    tag,
                    cellBits,
                    k,
                    cycle,
                    rates.ambiguous(),
                    rates.wrong(),
                    rates.zombies(),
                    rates.falsePositives(),
                    rates.total(),
                    stuck);
            if (line != null) {
                line.add(new double[] {cycle, rates.total()});
            }
            compare(bits, name, tag, cellBits, k, cycle, rates);
        }
        return rates;
    }

    private void compare(
            int bits, String name, int tag, int cellBits, int k, int cycle, Churn.Rates rates) {
        for (int i = 0; theirs != null && i < theirs.size(); i++) {
            if (theirs.number(i, "bits_per_flow") == bits
                    && theirs.text(i, "variant").equals(name)
                    && theirs.number(i, "tag") == tag
                    && theirs.number(i, "cell_bits") == cellBits
                    && theirs.number(i, "k") == k
                    && theirs.number(i, "life_cycles") == cycle) {
                String at =
                        bits
                                + " "
                                + name
                                + " tag "
                                + tag
                                + " cells of "
                                + cellBits
                                + " after "
                                + cycle;
                double sample = 4_000;
                tally.share(
                        at + " DK",
                        rates.ambiguous(),
                        run.flows(),
                        theirs.number(i, "DK_rate"),
                        sample);
                tally.share(
                        at + " wrong",
                        rates.wrong(),
                        run.flows(),
                        theirs.number(i, "wrong_rate"),
                        sample);
                tally.share(
                        at + " zombies",
                        rates.zombies(),
                        run.flows(),
                        theirs.number(i, "zombies_per_flow"),
                        sample);
                tally.share(
                        at + " FP",
                        rates.falsePositives(),
                        run.flows(),
                        theirs.number(i, "FP_absent"),
                        sample);
                return;
            }
        }
    }
}
