/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** The committed records of alerts. */
final class AlertRecords {
    private static final ObjectMapper JSON = new ObjectMapper();

    private AlertRecords() {}

    /** How many there are of each kind. */
    static Map<String, Long> countByKind(String bootstrapServers, String topic) throws IOException {
        Map<String, Long> byKind = new TreeMap<>();
        CommittedTopic.read(
                bootstrapServers,
                topic,
                record ->
                        byKind.merge(
                                JSON.readTree(record.value()).path("alert").asText(),
                                1L,
                                Long::sum));
        return byKind;
    }
}
