/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Sluice;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The machines for records of other tools find in their samples what counting finds, by the
 * commands of the document.
 */
class ReadyMachinesTest {

    private static final Path EXAMPLE = Path.of("../../examples/machines");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PAUSE = Duration.ofMinutes(10).toMillis();

    /** A tool, and its words for connections that failed and for others. */
    enum Tool {
        ZEEK(
                "## Zeek",
                "zeek-conn.log.json",
                "/id.orig_h",
                "/conn_state",
                each -> each.at("/ts").decimalValue().movePointRight(3).longValue(),
                Set.of("S0", "REJ"),
                Set.of("SF")),
        SURICATA(
                "## Suricata",
                "suricata-eve.json",
                "/src_ip",
                "/flow/state",
                each ->
                        OffsetDateTime.parse(
                                        each.at("/timestamp").asText(),
                                        DateTimeFormatter.ofPattern(
                                                "uuuu-MM-dd'T'HH:mm:ss.SSSSSSxx"))
                                .toInstant()
                                .toEpochMilli(),
                Set.of("new"),
                Set.of("closed", "established")),
        GOFLOW2(
                "## GoFlow2",
                "goflow2.json",
                "/src_addr",
                "/tcp_flags",
                each ->
                        new BigDecimal(each.at("/time_flow_start_ns").bigIntegerValue())
                                .movePointLeft(6)
                                .longValue(),
                Set.of("2", "6", "194"),
                Set.of("27"));

        private final String heading;
        private final String sample;
        private final String host;
        private final String event;
        private final ToLongFunction<JsonNode> millis;
        private final Set<String> failures;
        private final Set<String> successes;

        Tool(
                String heading,
                String sample,
                String host,
                String event,
                ToLongFunction<JsonNode> millis,
                Set<String> failures,
                Set<String> successes) {
            this.heading = heading;
            this.sample = sample;
            this.host = host;
            this.event = event;
            this.millis = millis;
            this.failures = failures;
            this.successes = successes;
        }

        /** Returns key and time of each host whose fifth failure in a row has come. */
        private List<String> scanners(String[] records) throws Exception {
            Map<String, Integer> failed = new HashMap<>();
            Map<String, Long> last = new HashMap<>();
            Set<String> found = new HashSet<>();
            List<String> scanners = new ArrayList<>();
            for (String record : records) {
                JsonNode each = JSON.readTree(record);
                String key =
                        JSON.writeValueAsString(
                                List.of(each.at(host).asText(), each.at("/proto").asText()));
                String what = each.at(event).asText();
                long now = millis.applyAsLong(each);
                long pause = now - last.getOrDefault(key, now);
                // In between, it depends on where a slice of time ends.
                assertThat(pause <= PAUSE || pause > 2 * PAUSE).isTrue();
                if (pause > PAUSE || successes.contains(what)) {
                    failed.remove(key);
                }
                last.put(key, now);
                if (failures.contains(what) && failed.merge(key, 1, Integer::sum) == 5) {
                    if (found.add(key)) {
                        scanners.add(key + " " + now);
                    }
                }
            }
            return scanners;
        }
    }

    @TempDir Path folder;

    @ParameterizedTest
    @EnumSource
    void theHostsThatScanAreThoseOfCounting(Tool tool) throws Exception {
        String[] records =
                Files.readAllLines(EXAMPLE.resolve("samples").resolve(tool.sample))
                        .toArray(String[]::new);
        List<String> expected = tool.scanners(records);
        assertThat(expected).hasSizeGreaterThanOrEqualTo(2);
        String command =
                Snippet.below(
                                Path.of("examples/machines/README.md"),
                                tool.heading,
                                "sh",
                                "./sluice job machine")
                        .code();
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            List<String> words =
                    DocumentedCommand.words(
                            command.replace("HOST:PORT", kafka.bootstrapServers())
                                    .replace("examples/machines", EXAMPLE.toString()));
            String topic = words.get(words.indexOf("--input-topic") + 1);
            kafka.createTopics(1, topic);
            DocumentedCommand.send(kafka, topic, records);
            words.add("--bounded");
            assertThat(Sluice.run(words.toArray(String[]::new))).isZero();

            List<String> finished = new ArrayList<>();
            for (String text : DocumentedCommand.received(kafka, "machines")) {
                JsonNode report = JSON.readTree(text);
                if (report.path("kind").asText().equals("finished")) {
                    assertThat(report.path("state").asText()).isEqualTo("scanner");
                    finished.add(
                            report.path("key").asText() + " " + report.path("timestamp").asLong());
                }
            }
            assertThat(finished).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(DocumentedCommand.received(kafka, "machines-alerts"))
                    .noneMatch(text -> text.contains("\"illegal\""));
            assertThat(DocumentedCommand.received(kafka, "machines-dead-letters")).isEmpty();
        }
    }
}
