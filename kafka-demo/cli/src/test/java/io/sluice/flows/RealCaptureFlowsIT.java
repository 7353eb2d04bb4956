/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.capture.Captures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sluice flows} on captures of real networks; skipped where there are none. */
class RealCaptureFlowsIT {
    @TempDir private static Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "many-flows/example.pcap",
                "scan-flood/synscan.pcap",
                "pcapng/kafka.pcapng",
                "tcp-anomaly/handshake-reorder.pcap",
                "backbone/mawi-like_2019_snap96_7000.pcap"
            })
    void realCapturesHaveNoMoreFlowsThanTheirPacketsBegin(String name) throws Exception {
        Path real = Captures.directory().resolve(name);
        Path out = folder.resolve(real.getFileName() + "-out");

        CaptureFlowsIT.Run run = CaptureFlowsIT.flows(out, List.of(real));

        assertThat(run.exit()).as(run.errors()).isZero();
        Map<String, Long> perFlow = new HashMap<>();
        for (String line : Files.readAllLines(out.resolve("flows.jsonl"))) {
            perFlow.merge(new ObjectMapper().readTree(line).path("flow").asText(), 1L, Long::sum);
        }
        long tcp = run.json().path("packets").path("tcp").asLong();
        long reported = perFlow.values().stream().mapToLong(n -> n).sum();
        assertThat(tcp).isPositive();
        assertThat(reported).isPositive().isLessThanOrEqualTo(tcp);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mawi7000.cut.pcap.gz",
                "mawi7000.corrupt.pcap.gz",
                "mawi7000.cut.pcapng",
                "real_cut_in_record_header_pgsql.pcap"
            })
    void realDamageIsToldWithFileAndOffset(String name) {
        Path real = Captures.directory().resolve("damaged").resolve(name);

        CaptureFlowsIT.Run run = CaptureFlowsIT.flows(folder.resolve(name + "-out"), List.of(real));

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.errors().lines()).as(run.errors()).hasSize(1);
        assertThat(run.errors()).startsWith("sluice: " + real).contains("at offset");
        assertThat(folder.resolve(name + "-out").resolve("flows.jsonl")).isNotEmptyFile();
    }
}
