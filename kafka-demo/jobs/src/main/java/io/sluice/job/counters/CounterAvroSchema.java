/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import io.sluice.flink.counter.CounterValue;
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
import org.apache.flink.util.function.SerializableFunction;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A counter's new value on its topic, as {@link CounterValueSchema} has it, in Avro: the value is a
 * zero, the 4 bytes of the schema's id, and a record {@code io.sluice.counters.CounterValue} in
 * Avro's binary encoding, with the fields {@code value} (long), {@code expectedUndercount} (double)
 * and {@code timestamp} (timestamp-millis). The subject of the schema is the topic's name and
 * {@code -value}.
 */
final class CounterAvroSchema<K> extends TopicSchema<CounterValue<K>> {
    /** The first byte of a value in Avro. */
    static final byte MAGIC = 0;

    private static final int HEADER_BYTES = 5;

    private final SerializableFunction<K, byte[]> name;
    private final SchemaRegistry registry;

    private transient byte[] header;
    private transient ByteArrayOutputStream bytes;
    private transient BinaryEncoder encoder;

    /**
     * @param name the bytes of a counter's name
     */
    CounterAvroSchema(String topic, SerializableFunction<K, byte[]> name, SchemaRegistry registry) {
        super(topic);
        this.name = name;
        this.registry = registry;
    }

    /** Returns the schema of a value. */
    static Schema schema() {
        return SchemaBuilder.record("CounterValue")
                .namespace("io.sluice.counters")
                .fields()
                .requiredLong("value")
                .requiredDouble("expectedUndercount")
                .name("timestamp")
                .type(
                        LogicalTypes.timestampMillis()
                                .addToSchema(SchemaBuilder.builder().longType()))
                .noDefault()
                .endRecord();
    }

    /**
     * Registers the schema for the values of a topic.
     *
     * @return its id
     * @throws IOException if the registry does not answer, or the subject has another schema
     */
    static int register(SchemaRegistry registry, String topic) throws IOException {
        return registry.register(topic + "-value", schema().toString());
    }

    @Override
    protected void begin(MetricGroup metrics) throws IOException {
        header =
                ByteBuffer.allocate(HEADER_BYTES)
                        .put(MAGIC)
                        .putInt(register(registry, topic))
                        .array();
        bytes = new ByteArrayOutputStream();
        encoder = EncoderFactory.get().directBinaryEncoder(bytes, null);
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            CounterValue<K> value, KafkaSinkContext context, Long timestamp) {
        bytes.reset();
        bytes.writeBytes(header);
        try {
            encoder.writeLong(value.value());
            encoder.writeDouble(value.expectedUndercount());
            encoder.writeLong(value.timestamp());
        } catch (IOException e) {
            throw new UncheckedIOException("bytes in memory were not written", e);
        }
        return new ProducerRecord<>(topic, name.apply(value.counter()), bytes.toByteArray());
    }
}
