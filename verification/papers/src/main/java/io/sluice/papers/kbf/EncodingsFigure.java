/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;

/**
 * Figures 2 and 3: bits of an encoding over the number of encodings, and the encodings' values.
 *
 * @param item its number
 * @param trend whether it is figure 3
 */
public record EncodingsFigure(int item, boolean trend) implements PaperFigure {

    @Override
    public Table table(Run run) throws IOException {
        XorCode code = XorCode.greedy(run.size(1024, 512));
        Table table = trend ? trend(code) : bits(run, code);
        table.parameters(
                "Algorithm 1 with an exact set of sums, "
                        + run.size(1024, 512)
                        + " encodings; the paper has 3,000 in 30 bits or less");
        return table;
    }

    private static Table bits(Run run, XorCode code) throws IOException {
        Table table = Table.of("values", "bound", "Algorithm 1", "BCH", "product code");
        Agreement agreement = new Agreement();
        Table theirs = run.reference("encodings_bits.csv");
        for (int n : new int[] {4, 7, 11, 16, 50, 100, 255, 256, 1000, 1024}) {
            if (n > code.values()) {
                break;
            }
            int bound = Long.SIZE - Long.numberOfLeadingZeros((long) n * (n + 1) / 2);
            int greedy = Integer.SIZE - Integer.numberOfLeadingZeros(code.word(n - 1));
            int bch = XorCode.bch(n).bits();
            int product = CodeKind.PRODUCT_PAIRS.wordBits(n);
            table.add(n, bound, greedy, bch, product);
            int row = theirs.row("n", n);
            agreement.formula(n + " bound", bound, theirs.number(row, "paper_bound_bits"));
            agreement.formula(n + " greedy", greedy, theirs.number(row, "greedy_bits"));
            agreement.formula(n + " BCH", bch, theirs.number(row, "bch_t2_bits(n<=2^m-1)"));
        }
        table.plot("values", "", false, "bound", "Algorithm 1", "BCH", "product code");
        table.finding(
                "Algorithm 1 needs more bits than an algebraic code from some 16 values on, and its"
                        + " cost grows with the cube of the values. The product code also tells two"
                        + " equal values.");
        agreement.addTo(table, run);
        return table;
    }

    private static Table trend(XorCode code) {
        Table table = Table.of("encoding", "value", "fit");
        int last = code.word(code.values() - 1);
        double exponent = Math.log((double) last / code.word(code.values() / 4)) / Math.log(4);
        double scale = last / Math.pow(code.values(), exponent);
        for (int n = 2; n <= code.values(); n *= 2) {
            table.add(n, code.word(n - 1), scale * Math.pow(n, exponent));
        }
        table.plot("encoding", "", true, "value", "fit");
        table.finding(
                "The values grow with the power %.2f of the index between a quarter of them and"
                        + " all, faster than the square that the paper's regression takes.",
                exponent);
        table.check("faster than the square", exponent > 2, "the exponent is %.2f", exponent);
        return table;
    }
}
