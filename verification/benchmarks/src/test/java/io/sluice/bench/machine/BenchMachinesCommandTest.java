/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.ReportTestCase;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchMachinesCommandTest extends ReportTestCase {

    @Test
    void everyTableAndFigureOfTheStoresIsThere() throws Exception {
        assertThat(
                        run(
                                new BenchMachinesCommand(),
                                "--only",
                                "stores",
                                "--machines",
                                "2000",
                                "--rounds",
                                "1",
                                "--seed",
                                "" + SEED))
                .as("seed %d", SEED)
                .isZero();
        Map<String, Double> figures = figures("machines");
        for (MachineWorkload each : MachineWorkload.values()) {
            String name = "machines." + each;
            assertThat(figures.get(name + ".exact.error")).isZero();
            assertThat(figures.get(name + ".fingerprints.error")).isLessThan(1e-3);
            assertThat(figures.get(name + ".fingerprints.bits"))
                    .isLessThan(figures.get(name + ".exact.bits"));
            assertThat(figures.get(name + ".kbfSmall.error"))
                    .isGreaterThan(figures.get(name + ".fingerprints.error"));
            assertThat(figures).containsKey(name + ".kbf.perSecond");
        }
        assertTables("machines_stores.csv");
    }

    @Test
    void whatCannotBeMeasuredIsRefused() {
        assertThatThrownBy(() -> run(new BenchMachinesCommand(), "--machines", "999"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--machines must be from 1000");
    }
}
