/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** Jobs to compare with: Kafka to Kafka without counting, and reading only. Defaults throughout. */
final class PlainJob {
    private final StreamExecutionEnvironment env;
    private final String bootstrapServers;
    private final String from;

    PlainJob(
            StreamExecutionEnvironment env,
            String bootstrapServers,
            String from,
            long checkpointMillis) {
        this.env = env;
        this.bootstrapServers = bootstrapServers;
        this.from = from;
        env.getConfig().enableObjectReuse();
        env.enableCheckpointing(checkpointMillis);
    }

    /** KafkaSource, keyBy, map, EXACTLY_ONCE KafkaSink of short strings, default batching. */
    void copy(String to) {
        source(new Shorten())
                .keyBy(text -> text.hashCode() & 0xffff)
                .map(text -> text)
                .sinkTo(sink(to, new SimpleStringSchema()));
    }

    /** KafkaSource, keyBy, map, EXACTLY_ONCE KafkaSink of the values as they are. */
    void copyBytes(String to) {
        source(new Bytes())
                .keyBy(bytes -> Arrays.hashCode(bytes) & 0xffff)
                .map(bytes -> bytes)
                .sinkTo(sink(to, new Bytes()));
    }

    /** KafkaSource alone. */
    void read() {
        source(new Shorten()).sinkTo(new DiscardingSink<>());
    }

    private <T> DataStream<T> source(DeserializationSchema<T> schema) {
        KafkaSource<T> source =
                KafkaSource.<T>builder()
                        .setBootstrapServers(bootstrapServers)
                        .setTopics(from)
                        .setGroupId("plain")
                        .setStartingOffsets(OffsetsInitializer.earliest())
                        .setBounded(OffsetsInitializer.latest())
                        .setValueOnlyDeserializer(schema)
                        .build();
        return env.fromSource(source, WatermarkStrategy.noWatermarks(), "plain-source");
    }

    private <T> KafkaSink<T> sink(String to, SerializationSchema<T> schema) {
        return KafkaSink.<T>builder()
                .setBootstrapServers(bootstrapServers)
                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                .setTransactionalIdPrefix(to)
                .setProperty("transaction.timeout.ms", "600000")
                .setRecordSerializer(
                        KafkaRecordSerializationSchema.<T>builder()
                                .setTopic(to)
                                .setValueSerializationSchema(schema)
                                .build())
                .build();
    }

    /** The first bytes of a record as a string of 24 characters. */
    private static final class Shorten extends AbstractDeserializationSchema<String> {
        private static final int LENGTH = 24;

        @Override
        public String deserialize(byte[] message) {
            return new String(
                    message, 0, Math.min(LENGTH, message.length), StandardCharsets.ISO_8859_1);
        }
    }

    /** The bytes themselves. */
    private static final class Bytes extends AbstractDeserializationSchema<byte[]>
            implements SerializationSchema<byte[]> {
        @Override
        public byte[] deserialize(byte[] message) {
            return message;
        }

        @Override
        public byte[] serialize(byte[] element) {
            return element;
        }

        @Override
        public void open(SerializationSchema.InitializationContext context) {}
    }
}
