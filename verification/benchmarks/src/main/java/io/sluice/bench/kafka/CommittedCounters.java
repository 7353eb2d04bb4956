/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.record.CounterKind;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The committed values of the counters on a topic: the latest of each. Not thread-safe. */
final class CommittedCounters implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final CommittedRecords records;
    private final Map<String, Long> values = new HashMap<>();
    private long sum;

    private CommittedCounters(String bootstrapServers, String topic) {
        records = new CommittedRecords(bootstrapServers, topic);
    }

    static CommittedCounters open(String bootstrapServers, String topic) {
        return new CommittedCounters(bootstrapServers, topic);
    }

    /** Takes everything that is committed now. */
    static CommittedCounters readAll(String bootstrapServers, String topic) {
        try (CommittedCounters counters = new CommittedCounters(bootstrapServers, topic)) {
            counters.records.pollAll(record -> counters.take(record, (counter, value, at) -> {}));
            return counters;
        }
    }

    /** Receives a committed value. */
    interface Update {
        /**
         * Takes one value.
         *
         * @param timestamp event time of the youngest operation in the value, ms
         */
        void accept(String counter, long value, long timestamp);
    }

    /** Takes what became visible, waiting briefly if there is nothing. */
    void poll(Update update) {
        records.poll(record -> take(record, update));
    }

    private void take(ConsumerRecord<byte[], byte[]> record, Update update) {
        JsonNode json = parse(record);
        String counter = new String(record.key(), StandardCharsets.UTF_8);
        long value = json.path("value").asLong();
        Long before = values.put(counter, value);
        sum += value - (before == null ? 0 : before);
        update.accept(counter, value, json.path("timestamp").asLong());
    }

    private static JsonNode parse(ConsumerRecord<byte[], byte[]> record) {
        try {
            return JSON.readTree(record.value());
        } catch (IOException e) {
            throw new IllegalStateException(
                    "no JSON on " + record.topic() + " at offset " + record.offset(), e);
        }
    }

    /** Sum of the latest values. */
    long sum() {
        return sum;
    }

    /** By how much counters exceed the truth, summed over the counters that do. */
    long overcounted(Truth truth, CounterKind kind) {
        long[] over = {0};
        truth.counters(kind)
                .forEach(
                        (key, operations, bytes, sends, beyond) -> {
                            long value = values.getOrDefault(kind.format(key), 0L);
                            over[0] += Math.max(0, value - operations);
                        });
        return over[0];
    }

    @Override
    public void close() {
        records.close();
    }
}
