/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageLayout;
import io.sluice.message.MessageReader;
import io.sluice.message.SchemaRegistryException;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/**
 * Reads what a record says from some of its fields, as an id is read. Where that cannot be read, it
 * is the whole value, null for a tombstone.
 */
final class MessageContent implements KeySelector<KafkaMessage, String> {
    private static final long serialVersionUID = 1L;

    /** No content that was read begins with it. */
    private static final char WHOLE_VALUE = '=';

    private final MessageLayout layout;

    private transient @Nullable MessageReader reader;

    /**
     * @param layout whose id is the content
     */
    MessageContent(MessageLayout layout) {
        this.layout = layout;
    }

    @Override
    @Nullable
    public String getKey(KafkaMessage message) throws SchemaRegistryException {
        if (reader == null) {
            reader = new MessageReader(layout);
        }
        String content = reader.read(record(message)).id();
        if (content != null) {
            return content;
        }
        byte[] value = message.value();
        return value == null ? null : WHOLE_VALUE + new String(value, ISO_8859_1);
    }

    private static ConsumerRecord<byte[], byte[]> record(KafkaMessage message) {
        return new ConsumerRecord<>(
                message.topic(),
                message.partition(),
                message.offset(),
                message.timestamp(),
                TimestampType.CREATE_TIME,
                ConsumerRecord.NULL_SIZE,
                ConsumerRecord.NULL_SIZE,
                message.key(),
                message.value(),
                new RecordHeaders(message.headers()),
                Optional.empty());
    }
}
