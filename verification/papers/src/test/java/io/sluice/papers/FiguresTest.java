/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every figure, at its small size: what had to hold does, and it compares with the reference. */
class FiguresTest {
    private static final Path HOME = Path.of("../..");
    private static final Run RUN =
            new Run(true, false, 20261101, HOME.resolve("../shared/data/reference"));
    private static final Run ALONE = new Run(true, false, 20261101, Path.of("none"));

    static List<PaperFigure> figures() {
        return Papers.FIGURES.stream().filter(figure -> !figure.isTimed()).toList();
    }

    @ParameterizedTest
    @MethodSource("figures")
    void whatHadToHoldDoes(PaperFigure figure) throws IOException {
        Table table = figure.table(RUN);
        assertThat(table.size()).isPositive();
        assertThat(table.checks()).allMatch(Table.Check::ok);
        assertThat(table.parameters()).isNotEmpty();
    }

    @Test
    void aFigureComparesWithTheReferenceIfItIsThere() throws IOException {
        assumeThat(RUN.hasReference()).as("the reference's tables").isTrue();
        List<String> compared =
                figures().get(0).table(RUN).checks().stream().map(Table.Check::name).toList();
        assertThat(compared).contains("independent implementation");
    }

    @Test
    void thePageSaysWhatFailedAndEverythingElse() throws IOException {
        PaperFigure figure = figures().get(0);
        Table table = figure.table(ALONE);
        assertThat(table.checks()).hasSize(1);
        Map<Integer, Page.Result> results = new TreeMap<>();
        results.put(figure.item(), new Page.Result(figure, table));
        Page good = new Page(Items.read(), results, ALONE, HOME);
        assertThat(good.isOk()).isTrue();
        assertThat(good.html()).contains("Algorithm 2, optimised check").contains("echarts");
        table.check("made to fail", false, "as it must");
        Page bad = new Page(Items.read(), results, ALONE, HOME);
        assertThat(bad.isOk()).isFalse();
        assertThat(bad.markdown())
                .contains("# The four papers")
                .contains("DOES NOT HOLD: as it must")
                .contains("| 142 |")
                .contains("Timed earlier");
    }
}
