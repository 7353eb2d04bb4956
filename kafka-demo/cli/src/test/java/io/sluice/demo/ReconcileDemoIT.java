/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Sluice;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two regions on real brokers and clusters, with filters, which take more than one round. */
class ReconcileDemoIT {

    @TempDir Path folder;

    @Test
    void bothRegionsCountTheSameThoughOneIsLateAndTheOtherIsKilled() throws Exception {
        int exit =
                Sluice.run(
                        "demo",
                        "reconcile",
                        "--packets=15000",
                        "--losses=0.1",
                        "--two-brokers",
                        "--method=decode",
                        "--out=" + folder);

        JsonNode report = new ObjectMapper().readTree(folder.resolve("report.json").toFile());
        assertThat(report.path("verdict").asText()).isEqualTo("ok");
        assertThat(exit).isZero();
        assertThat(report.at("/input/missedByFirst").asLong()).isGreaterThan(1000);
        assertThat(report.at("/input/missedBySecond").asLong()).isGreaterThan(1000);
        assertThat(report.at("/counters/state").asBoolean()).isTrue();
        assertThat(report.at("/reconcile/repaired").asLong())
                .isEqualTo(
                        report.at("/input/lackedByFirst").asLong()
                                + report.at("/input/lackedBySecond").asLong());
        assertThat(report.at("/reconcile/suspended").asLong()).isPositive();
        assertThat(report.at("/reconcile/bytesRatioToNaive").asDouble()).isBetween(0.01, 1.0);
        assertThat(report.at("/failures/recovered").asLong()).isPositive();
    }
}
