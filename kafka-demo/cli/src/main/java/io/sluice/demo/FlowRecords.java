/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** The committed records of finished flows, by flow. */
final class FlowRecords {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, String> ends = new HashMap<>();
    private final Map<String, Long> byState = new TreeMap<>();
    private long timedOut;
    private long twice;

    private FlowRecords() {}

    static FlowRecords read(String bootstrapServers, String topic) throws IOException {
        FlowRecords records = new FlowRecords();
        CommittedTopic.read(
                bootstrapServers,
                topic,
                record ->
                        records.add(
                                new String(record.key(), US_ASCII),
                                new String(record.value(), US_ASCII)));
        return records;
    }

    private void add(String flow, String value) throws IOException {
        JsonNode json = JSON.readTree(value);
        byState.merge(json.path("state").asText(), 1L, Long::sum);
        timedOut += json.path("reason").asText().equals("timed-out") ? 1 : 0;
        twice += ends.put(flow, value) == null ? 0 : 1;
    }

    /** The records of each flow, as they are on the topic. */
    Map<String, String> ends() {
        return ends;
    }

    Map<String, Long> byState() {
        return byState;
    }

    long timedOut() {
        return timedOut;
    }

    /** Records of flows that already had one. */
    long twice() {
        return twice;
    }

    /** Flows whose two records differ, without flows that no packet ended in one of the two. */
    long differences(FlowRecords other) {
        Set<String> flows = new HashSet<>(ends.keySet());
        flows.addAll(other.ends.keySet());
        return flows.stream()
                .filter(flow -> !Objects.equals(ended(flow), other.ended(flow)))
                .count();
    }

    /** Null if no packet ended the flow. */
    private String ended(String flow) {
        String value = ends.get(flow);
        return value == null || !value.contains("\"reason\":\"ended\"") ? null : value;
    }
}
