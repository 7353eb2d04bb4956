/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A record of an order, as it is on a topic. */
record Order(long sequence, String id, long time, int partition, String key, String value) {
    private static final Pattern VALUE =
            Pattern.compile("\\{\"seq\":(\\d+),\"id\":\"([a-z]\\d+)\"}");

    static Order of(ConsumerRecord<byte[], byte[]> record) {
        String value = record.value() == null ? "" : new String(record.value(), UTF_8);
        Matcher matcher = VALUE.matcher(value);
        if (!matcher.matches()) {
            return new Order(-1, "", record.timestamp(), record.partition(), "", value);
        }
        return new Order(
                Long.parseLong(matcher.group(1)),
                matcher.group(2),
                record.timestamp(),
                record.partition(),
                record.key() == null ? "" : new String(record.key(), UTF_8),
                value);
    }
}
