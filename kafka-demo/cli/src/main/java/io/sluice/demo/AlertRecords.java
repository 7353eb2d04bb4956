/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static java.util.Comparator.comparing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.capture.TrafficTruth;
import io.sluice.report.DemoReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The committed records of alerts: how many of each kind, and the attacks among them. */
final class AlertRecords {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, Long> byKind = new TreeMap<>();
    private final List<JsonNode> raised = new ArrayList<>();
    private final List<JsonNode> cleared = new ArrayList<>();

    AlertRecords() {}

    static AlertRecords read(String bootstrapServers, String topic) throws IOException {
        AlertRecords records = new AlertRecords();
        CommittedTopic.read(
                bootstrapServers, topic, record -> records.add(JSON.readTree(record.value())));
        return records;
    }

    /** Takes the next record. */
    void add(JsonNode alert) {
        switch (alert.path("status").asText()) {
            case "raised" -> raised.add(alert);
            case "cleared" -> {
                cleared.add(alert);
                return;
            }
            default -> {}
        }
        byKind.merge(alert.path("alert").asText(), 1L, Long::sum);
    }

    /** Alerts by kind; an attack counts once. */
    Map<String, Long> byKind() {
        return byKind;
    }

    /**
     * Kind and address of each reported attack; an attack that was reported twice is listed twice.
     */
    List<String> raised() {
        return names(raised);
    }

    /** The reported attacks that were also reported as over. */
    List<String> cleared() {
        return names(cleared);
    }

    private static List<String> names(List<JsonNode> alerts) {
        return alerts.stream()
                .map(each -> each.path("alert").asText() + " " + each.path("address").asText())
                .sorted()
                .toList();
    }

    /** What {@link #raised} must be for a generated capture. */
    static List<String> expected(TrafficTruth truth) {
        List<String> attacks = new ArrayList<>();
        truth.scans().forEach(scan -> attacks.add("scan " + scan.host()));
        truth.floods().forEach(flood -> attacks.add("syn-flood " + flood.host()));
        return attacks.stream().sorted().toList();
    }

    /**
     * The attacks, by the time at which they were reported.
     *
     * @param firstMillis of the capture
     * @param lastMillis of the capture; an attack reported as over later, when no more packets
     *     came, was not over in the capture
     */
    List<DemoReport.Attack> attacks(long firstMillis, long lastMillis) {
        return raised.stream()
                .map(each -> attack(each, endOf(each), firstMillis, lastMillis))
                .sorted(comparing(DemoReport.Attack::raisedSeconds))
                .toList();
    }

    /** The report that it is over; null if there was none. */
    private JsonNode endOf(JsonNode begun) {
        return cleared.stream()
                .filter(
                        each ->
                                List.of("alert", "address", "port", "first").stream()
                                        .allMatch(
                                                field ->
                                                        each.path(field).equals(begun.path(field))))
                .findFirst()
                .orElse(null);
    }

    private static DemoReport.Attack attack(
            JsonNode begun, JsonNode over, long firstMillis, long lastMillis) {
        JsonNode latest = over == null ? begun : over;
        boolean isOver = over != null && over.path("timestamp").asLong() <= lastMillis;
        long attempts = latest.path("attempts").asLong();
        return new DemoReport.Attack(
                begun.path("alert").asText(),
                begun.path("address").asText(),
                begun.path("port").asInt(-1),
                seconds(begun.path("first"), firstMillis),
                seconds(begun.path("timestamp"), firstMillis),
                isOver ? seconds(over.path("timestamp"), firstMillis) : -1,
                attempts,
                latest.path("completed").asLong(),
                // It is an estimate, but no service was asked without an attempt.
                Math.min(attempts, latest.path("targets").asLong()));
    }

    private static double seconds(JsonNode millis, long firstMillis) {
        return (millis.asLong() - firstMillis) / 1000.0;
    }
}
