/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.kafka.TopicSchema;
import io.sluice.message.SchemaRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.flink.metrics.MetricGroup;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Results on a topic in Avro, in the form of Confluent's serializers: a zero, the 4 bytes of the
 * schema's id, and the value in Avro's binary encoding. The subject of the schema is the topic's
 * name and {@code -value}.
 *
 * @param <T> type of the results
 */
public abstract class AvroTopicSchema<T> extends TopicSchema<T> {
    /** The first byte of a value in Avro. */
    public static final byte MAGIC = 0;

    private static final int HEADER_BYTES = 5;

    private final SchemaRegistry registry;
    private final String schema;

    private transient byte[] header;
    private transient ByteArrayOutputStream bytes;
    private transient BinaryEncoder encoder;

    protected AvroTopicSchema(String topic, SchemaRegistry registry, Schema schema) {
        super(topic);
        this.registry = registry;
        this.schema = schema.toString();
    }

    /** Returns the type of a field that is a time in milliseconds since 1970. */
    protected static Schema timestampMillis() {
        return LogicalTypes.timestampMillis().addToSchema(SchemaBuilder.builder().longType());
    }

    /**
     * Registers the schema for the values of a topic.
     *
     * @return its id
     * @throws IOException if the registry does not answer, or the subject has another schema
     */
    static int register(SchemaRegistry registry, String topic, String schema) throws IOException {
        return registry.register(topic + "-value", schema);
    }

    @Override
    protected void begin(MetricGroup metrics) throws IOException {
        header =
                ByteBuffer.allocate(HEADER_BYTES)
                        .put(MAGIC)
                        .putInt(register(registry, topic, schema))
                        .array();
        bytes = new ByteArrayOutputStream();
        encoder = EncoderFactory.get().directBinaryEncoder(bytes, null);
    }

    @Override
    public final ProducerRecord<byte[], byte[]> serialize(
            T result, KafkaSinkContext context, Long timestamp) {
        bytes.reset();
        bytes.writeBytes(header);
        try {
            encode(result, encoder);
        } catch (IOException e) {
            throw new UncheckedIOException("bytes in memory were not written", e);
        }
        return new ProducerRecord<>(topic, key(result), bytes.toByteArray());
    }

    /** Returns the key of the record. */
    protected abstract byte[] key(T result);

    /** Writes the fields of a result, in the order of the schema. */
    protected abstract void encode(T result, BinaryEncoder out) throws IOException;
}
