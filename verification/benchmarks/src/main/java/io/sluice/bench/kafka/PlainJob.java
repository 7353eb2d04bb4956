/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
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
    private PlainJob() {}

    /** KafkaSource, keyBy, map, EXACTLY_ONCE KafkaSink of short strings, default batching. */
    static void copy(
            StreamExecutionEnvironment env,
            String bootstrapServers,
            String from,
            String to,
            long checkpointMillis) {
        prepare(env, checkpointMillis);
        source(env, bootstrapServers, from, new Shorten())
                .keyBy(text -> text.hashCode() & 0xffff)
                .map(text -> text)
                .sinkTo(sink(bootstrapServers, to, new SimpleStringSchema()));
    }

    /** KafkaSource, keyBy, map, EXACTLY_ONCE KafkaSink of the values as they are. */
    static void copyBytes(
            StreamExecutionEnvironment env,
            String bootstrapServers,
            String from,
            String to,
            long checkpointMillis) {
        prepare(env, checkpointMillis);
        source(env, bootstrapServers, from, new Bytes())
                .keyBy(bytes -> Arrays.hashCode(bytes) & 0xffff)
                .map(bytes -> bytes)
                .sinkTo(sink(bootstrapServers, to, new Bytes()));
    }

    /** KafkaSource alone. */
    static void read(
            StreamExecutionEnvironment env,
            String bootstrapServers,
            String from,
            long checkpointMillis) {
        prepare(env, checkpointMillis);
        source(env, bootstrapServers, from, new Shorten()).sinkTo(new DiscardingSink<>());
    }

    private static void prepare(StreamExecutionEnvironment env, long checkpointMillis) {
        env.getConfig().enableObjectReuse();
        env.enableCheckpointing(checkpointMillis);
    }

    private static <T> DataStream<T> source(
            StreamExecutionEnvironment env,
            String bootstrapServers,
            String from,
            DeserializationSchema<T> schema) {
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

    private static <T> KafkaSink<T> sink(
            String bootstrapServers, String to, SerializationSchema<T> schema) {
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
    private static final class Shorten implements DeserializationSchema<String> {
        private static final int LENGTH = 24;

        @Override
        public String deserialize(byte[] message) throws IOException {
            return new String(
                    message, 0, Math.min(LENGTH, message.length), StandardCharsets.ISO_8859_1);
        }

        @Override
        public boolean isEndOfStream(String next) {
            return false;
        }

        @Override
        public TypeInformation<String> getProducedType() {
            return Types.STRING;
        }
    }

    /** The bytes themselves. */
    private static final class Bytes
            implements DeserializationSchema<byte[]>, SerializationSchema<byte[]> {
        @Override
        public byte[] deserialize(byte[] message) {
            return message;
        }

        @Override
        public byte[] serialize(byte[] element) {
            return element;
        }

        @Override
        public boolean isEndOfStream(byte[] next) {
            return false;
        }

        @Override
        public TypeInformation<byte[]> getProducedType() {
            return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        }
    }
}
