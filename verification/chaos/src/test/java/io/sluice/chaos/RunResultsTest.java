/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.fault.Fault;
import io.sluice.chaos.fault.FaultKind;
import io.sluice.chaos.fault.FaultSchedule;
import io.sluice.chaos.process.Jars;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunResultsTest {

    private static final ChaosOptions OPTIONS =
            new ChaosOptions(
                    7,
                    2,
                    Duration.ZERO,
                    List.of("kill-broker"),
                    List.of("dedup"),
                    1000,
                    new Jars(Path.of("jobs.jar"), Path.of("sql.jar")),
                    Path.of("out"),
                    null,
                    null);

    @Test
    void theFilesHaveEveryFaultAndEveryVerdict(@TempDir Path folder) throws Exception {
        RunResults results = new RunResults(OPTIONS);
        Fault fault = new FaultSchedule(7, List.of(FaultKind.KILL_BROKER)).next();
        results.fault(fault, "broker, back after 3 s", Duration.ofMillis(12_345), null);
        results.fault(fault, "broker again", Duration.ofSeconds(20), Duration.ofMillis(6_789));
        CheckResult verdict = new CheckResult();
        verdict.number("sent", 4711);
        verdict.broken("a record is there twice", "</script> of partition 3");
        results.verdict("dedup", verdict);
        results.leftOut(FaultKind.CLOCK_STEP, "there is no library");

        results.write(folder, false);

        JsonNode json = new ObjectMapper().readTree(folder.resolve("results.json").toFile());
        assertThat(json.get("ok").booleanValue()).isFalse();
        assertThat(json.at("/faultsByKind/kill-broker").intValue()).isEqualTo(2);
        assertThat(json.at("/faults/0/seconds").doubleValue()).isEqualTo(12.3);
        assertThat(json.at("/faults/0/recovered").isNull()).isTrue();
        assertThat(json.at("/faults/1/recovered").doubleValue()).isEqualTo(6.8);
        assertThat(json.at("/faultsLeftOut/clock-step").textValue())
                .isEqualTo("there is no library");
        assertThat(json.at("/verdicts/dedup/violations/0").textValue())
                .contains("a record is there twice: 1");
        assertThat(Files.readString(folder.resolve("report.html")))
                .contains("broker, back after 3 s", "a record is there twice", "\"sent\" : 4711")
                .doesNotContain("</script> of partition", "/*DATA*/", "/*STYLE*/", "/*COMMON*/");
    }
}
