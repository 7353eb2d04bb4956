/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class ChartImageTest {
    @TempDir Path directory;

    private Document draw(Chart chart) throws Exception {
        Path file = directory.resolve("chart.svg");
        ChartImage.write(file, chart);
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    }

    @Test
    void everyPointOfAMeasuredLineIsInsideThePictureAndAFormulaIsDashed() throws Exception {
        Document svg =
                draw(
                        Chart.logarithmic("a < b", "x", "y")
                                .measured(
                                        "m",
                                        List.of(new double[] {0.5, 1e-7}, new double[] {4, 0.3}))
                                .formula(
                                        "f",
                                        List.of(new double[] {0.5, 1e-3}, new double[] {4, 1e-3})));
        assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            Element circle = (Element) svg.getElementsByTagName("circle").item(i);
            assertThat(Double.parseDouble(circle.getAttribute("cx"))).isBetween(80.0, 740.0);
            assertThat(Double.parseDouble(circle.getAttribute("cy"))).isBetween(40.0, 340.0);
        }
        Element formula = (Element) svg.getElementsByTagName("polyline").item(1);
        assertThat(formula.getAttribute("stroke-dasharray")).isNotEmpty();
    }

    @Test
    void aLineThatIsZeroEverywhereIsDrawnOnTheAxis() throws Exception {
        Document svg =
                draw(
                        Chart.linear("zero", "x", "y")
                                .measured("m", List.of(new double[] {1, 0}, new double[] {2, 0})));
        Element circle = (Element) svg.getElementsByTagName("circle").item(0);
        assertThat(Double.parseDouble(circle.getAttribute("cy"))).isEqualTo(340);
    }

    @Test
    void nothingToDrawIsRefused() {
        assertThatThrownBy(() -> ChartImage.write(directory, Chart.linear("empty", "x", "y")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("empty");
    }
}
