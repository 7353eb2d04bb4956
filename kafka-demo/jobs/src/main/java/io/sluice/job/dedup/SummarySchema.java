/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.sluice.kafka.TopicSchema;
import io.sluice.message.IdJson;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * How many duplicates of an id were suppressed, on the summary topic: the key is the id ({@link
 * IdJson#bytes}), the value is JSON,
 *
 * <pre>{@code
 * {"id":"order-7","suppressed":3,"first":1520000000123,"last":1520000004567,
 *  "topic":"orders","partition":2,"offset":17}
 * }</pre>
 *
 * <p>with the least and the greatest of their times in milliseconds, and where the one that came
 * first is. The Kafka timestamp is the time of writing, because brokers delete by it.
 */
final class SummarySchema extends TopicSchema<Suppressed> {
    private final IdJson ids;

    /**
     * @param ids reads the ids
     */
    SummarySchema(String topic, IdJson ids) {
        super(topic);
        this.ids = ids;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            Suppressed suppressed, KafkaSinkContext context, Long timestamp) {
        StringBuilder value =
                new StringBuilder(200)
                        .append("{\"id\":")
                        .append(ids.json(suppressed.id()))
                        .append(",\"suppressed\":")
                        .append(suppressed.count())
                        .append(",\"first\":")
                        .append(suppressed.first())
                        .append(",\"last\":")
                        .append(suppressed.last())
                        .append(",\"topic\":\"");
        JsonStringEncoder.getInstance().quoteAsString(suppressed.topic(), value);
        value.append("\",\"partition\":")
                .append(suppressed.partition())
                .append(",\"offset\":")
                .append(suppressed.offset())
                .append('}');
        return new ProducerRecord<>(
                topic, ids.bytes(suppressed.id()), value.toString().getBytes(UTF_8));
    }
}
