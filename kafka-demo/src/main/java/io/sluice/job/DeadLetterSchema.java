/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A record that could not be read, on the dead-letter topic: key and value as they were, and why
 * and where in headers, all text in UTF-8: {@value #REASON} (a code as {@code wrong-checksum}),
 * {@value #TOPIC}, {@value #PARTITION}, {@value #OFFSET}.
 */
final class DeadLetterSchema extends TopicSchema<Incoming> {
    static final String REASON = "sluice.reason";
    static final String TOPIC = "sluice.topic";
    static final String PARTITION = "sluice.partition";
    static final String OFFSET = "sluice.offset";

    DeadLetterSchema(String topic) {
        super(topic);
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            Incoming incoming, KafkaSinkContext context, Long timestamp) {
        Rejected rejected = incoming.rejected();
        if (rejected == null) {
            throw new AssertionError("an operation is no dead letter: " + incoming);
        }
        ProducerRecord<byte[], byte[]> letter =
                new ProducerRecord<>(topic, rejected.key(), rejected.value());
        letter.headers()
                .add(REASON, rejected.reason().getBytes(UTF_8))
                .add(TOPIC, rejected.topic().getBytes(UTF_8))
                .add(PARTITION, Integer.toString(rejected.partition()).getBytes(UTF_8))
                .add(OFFSET, Long.toString(rejected.offset()).getBytes(UTF_8));
        return letter;
    }
}
