/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.figure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class AgreementTest {
    private static final Run RUN = new Run(true, false, 1, Path.of("."));

    private static boolean agrees(Agreement agreement) {
        Table table = Table.of("a");
        agreement.addTo(table, RUN);
        return table.checks().get(0).ok();
    }

    @Test
    void aMeasurementMayDifferByFiveDeviations() {
        Agreement agreement = new Agreement();
        agreement.near("near", 10, 14.9, 1);
        assertThat(agrees(agreement)).isTrue();
        agreement.near("far", 10, 15.1, 1);
        assertThat(agrees(agreement)).isFalse();
    }

    @Test
    void errorsMayBeFewer() {
        Agreement agreement = new Agreement();
        agreement.atMost("fewer", 1, 1000, 1);
        assertThat(agrees(agreement)).isTrue();
        agreement.atMost("more", 1006, 1000, 1);
        assertThat(agrees(agreement)).isFalse();
    }

    @Test
    void formulasAgreeUpToFourDigits() {
        Agreement agreement = new Agreement();
        agreement.formula("rounded", 1.2344, 1.234);
        agreement.formula("between", 1, 2, 1.5);
        agreement.formula("no such point", 3, Double.NaN);
        assertThat(agrees(agreement)).isTrue();
        agreement.formula("another", 1.236, 1.234);
        assertThat(agrees(agreement)).isFalse();
    }

    @Test
    void sharesAgreeWithinTheirTrials() {
        Agreement agreement = new Agreement();
        agreement.share("close", 0.1, 10_000, 0.105, 10_000);
        assertThat(agrees(agreement)).isTrue();
        agreement.share("far", 0.1, 10_000, 0.13, 10_000);
        assertThat(agrees(agreement)).isFalse();
    }

    @Test
    void nothingComparedIsAFailureIfThereIsAReference() {
        assertThat(agrees(new Agreement())).isFalse();
        Table table = Table.of("a");
        new Agreement().addTo(table, new Run(true, false, 1, Path.of("none")));
        assertThat(table.checks()).isEmpty();
    }
}
