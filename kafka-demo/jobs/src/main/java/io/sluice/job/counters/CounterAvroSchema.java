/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import io.sluice.flink.counter.CounterValue;
import io.sluice.job.message.AvroTopicSchema;
import io.sluice.message.SchemaRegistry;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.flink.util.function.SerializableFunction;

/**
 * A counter's new value on its topic, as {@link CounterValueSchema} has it, in Avro: a record
 * {@code io.sluice.counters.CounterValue} with the fields {@code value} (long), {@code
 * expectedUndercount} (double) and {@code timestamp} (timestamp-millis).
 */
final class CounterAvroSchema<K> extends AvroTopicSchema<CounterValue<K>> {
    private final SerializableFunction<K, byte[]> name;

    /**
     * @param name the bytes of a counter's name
     */
    CounterAvroSchema(String topic, SerializableFunction<K, byte[]> name, SchemaRegistry registry) {
        super(topic, registry, schema());
        this.name = name;
    }

    /** Returns the schema of a value. */
    static Schema schema() {
        return SchemaBuilder.record("CounterValue")
                .namespace("io.sluice.counters")
                .fields()
                .requiredLong("value")
                .requiredDouble("expectedUndercount")
                .name("timestamp")
                .type(timestampMillis())
                .noDefault()
                .endRecord();
    }

    @Override
    protected byte[] key(CounterValue<K> value) {
        return name.apply(value.counter());
    }

    @Override
    protected void encode(CounterValue<K> value, BinaryEncoder out) throws IOException {
        out.writeLong(value.value());
        out.writeDouble(value.expectedUndercount());
        out.writeLong(value.timestamp());
    }
}
