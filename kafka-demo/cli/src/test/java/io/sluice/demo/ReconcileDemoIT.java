/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Sluice;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two replicas on real brokers and clusters, with bad filters, so that rounds are needed. */
class ReconcileDemoIT {

    @TempDir Path folder;

    @Test
    void bothReplicasEndWithTheUnionThoughOneIsLateAndTheOtherIsKilled() throws Exception {
        int exit =
                Sluice.run(
                        "demo",
                        "reconcile",
                        "--packets=15000",
                        "--fpp=0.1",
                        "--losses=0.1",
                        "--two-brokers",
                        "--method=decode",
                        "--out=" + folder);

        JsonNode report = new ObjectMapper().readTree(folder.resolve("report.json").toFile());
        assertThat(report.path("verdict").asText()).isEqualTo("ok");
        assertThat(exit).isZero();
        assertThat(report.at("/input/lackedByFirst").asLong()).isGreaterThan(1000);
        assertThat(report.at("/input/lackedBySecond").asLong()).isGreaterThan(1000);
        assertThat(report.at("/reconcile/repaired").asLong())
                .isEqualTo(
                        report.at("/input/lackedByFirst").asLong()
                                + report.at("/input/lackedBySecond").asLong());
        assertThat(report.at("/reconcile/rounds").asLong()).isGreaterThan(1);
        assertThat(report.at("/reconcile/accuracy").asDouble()).isBetween(0.9, 0.9999);
        assertThat(report.at("/reconcile/accuracyAtTheEnd").asDouble()).isEqualTo(1);
        assertThat(report.at("/reconcile/bytesRatioToNaive").asDouble()).isBetween(0.01, 1.0);
        assertThat(report.at("/failures/recovered").asLong()).isPositive();
    }
}
