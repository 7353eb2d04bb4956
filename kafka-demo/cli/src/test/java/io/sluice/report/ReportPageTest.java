/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class ReportPageTest {

    @Test
    void theCaptionOfTheCurvesSaysThatTheyMayLieOnEitherSideOfTheTruth() throws IOException {
        assertThat(page()).contains("above or below the truth").doesNotContain("may lie below");
    }

    private static String page() throws IOException {
        try (InputStream page = DemoReport.class.getResourceAsStream("report.html")) {
            return new String(page.readAllBytes(), UTF_8).replaceAll("\\s+", " ");
        }
    }
}
