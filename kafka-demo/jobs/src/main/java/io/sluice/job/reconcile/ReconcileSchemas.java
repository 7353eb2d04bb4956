/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import io.sluice.flink.reconcile.Repair;
import io.sluice.flink.reconcile.ReplicaMessage;
import io.sluice.flink.reconcile.WindowElement;
import io.sluice.flink.reconcile.WindowReport;
import io.sluice.kafka.TopicSchema;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** How {@link ReconcileJob} reads and writes its topics. */
final class ReconcileSchemas {
    private static final byte[] NOTHING = {};

    private ReconcileSchemas() {}

    /** Messages unchanged, each kind on its own topic; the key is the key group, 4 bytes. */
    static final class Messages implements KafkaRecordSerializationSchema<ReplicaMessage> {
        private final String prefix;

        /** Topics are named after {@code prefix} and the kind of message. */
        Messages(String prefix) {
            this.prefix = prefix;
        }

        @Override
        public ProducerRecord<byte[], byte[]> serialize(
                ReplicaMessage message, KafkaSinkContext context, Long timestamp) {
            byte[] key = ByteBuffer.allocate(Integer.BYTES).putInt(message.group()).array();
            return new ProducerRecord<>(
                    prefix + ReplicaArguments.ending(message.kind()), key, message.bytes());
        }
    }

    /** The value of every record; a tombstone is a message of zero bytes, which is refused. */
    static final class Bytes implements KafkaRecordDeserializationSchema<byte[]> {
        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<byte[]> out) {
            out.collect(record.value() == null ? NOTHING : record.value());
        }

        @Override
        public TypeInformation<byte[]> getProducedType() {
            return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        }
    }

    /**
     * A repair: the key is the id, as {@link io.sluice.message.IdJson#bytes} has it, the value is
     * JSON,
     *
     * <pre>{@code {"window":1520000000000,"id":"order-7","before":0,"after":2}}</pre>
     *
     * <p>with the start of the window in milliseconds, and the copies that this side had and has
     * now. Of packets, the key is the counter's name, and the value has {@code "operation":1234} in
     * place of the id.
     */
    static final class Corrections<K> extends TopicSchema<Repair<K>> {
        private final ElementText<K> elements;

        Corrections(String topic, ElementText<K> elements) {
            super(topic);
            this.elements = elements;
        }

        @Override
        public ProducerRecord<byte[], byte[]> serialize(
                Repair<K> repair, KafkaSinkContext context, Long timestamp) {
            StringBuilder json = object(repair.window());
            elements.append(repair.element(), json);
            number(json, "before", repair.before());
            number(json, "after", repair.after());
            return new ProducerRecord<>(topic, elements.key(repair.element()), closed(json));
        }
    }

    /**
     * An element of a finished window: the key is that of a {@linkplain Corrections repair}, the
     * value is JSON,
     *
     * <pre>{@code {"window":1520000000000,"id":"order-7","copies":2}}</pre>
     */
    static final class Elements<K> extends TopicSchema<WindowElement<K>> {
        private final ElementText<K> elements;

        Elements(String topic, ElementText<K> elements) {
            super(topic);
            this.elements = elements;
        }

        @Override
        public ProducerRecord<byte[], byte[]> serialize(
                WindowElement<K> element, KafkaSinkContext context, Long timestamp) {
            StringBuilder json = object(element.window());
            elements.append(element.element(), json);
            number(json, "copies", element.copies());
            return new ProducerRecord<>(topic, elements.key(element.element()), closed(json));
        }
    }

    /** A report as a JSON object that has the names of {@link WindowReport}; no key. */
    static final class Reports extends TopicSchema<WindowReport> {
        Reports(String topic) {
            super(topic);
        }

        @Override
        public ProducerRecord<byte[], byte[]> serialize(
                WindowReport report, KafkaSinkContext context, Long timestamp) {
            StringBuilder json = new StringBuilder(400);
            json.append("{\"window\":").append(report.window());
            json.append(",\"group\":").append(report.group());
            json.append(",\"outcome\":\"").append(report.outcome()).append('"');
            number(json, "elementsBefore", report.elementsBefore());
            number(json, "elementsAfter", report.elementsAfter());
            number(json, "copiesBefore", report.copiesBefore());
            number(json, "copiesAfter", report.copiesAfter());
            number(json, "rounds", report.rounds());
            number(json, "filtered", report.filtered());
            number(json, "compared", report.compared());
            number(json, "sent", report.sent());
            number(json, "repairedFirst", report.repairedFirst());
            number(json, "repairedSecond", report.repairedSecond());
            number(json, "repairedLater", report.repairedLater());
            number(json, "digestBytes", report.digestBytes());
            number(json, "filterBytes", report.filterBytes());
            number(json, "repairBytes", report.repairBytes());
            number(json, "naiveBytes", report.naiveBytes());
            number(json, "retries", report.retries());
            number(json, "waitedMillis", report.waitedMillis());
            json.append(",\"fallback\":\"").append(report.fallback()).append('"');
            return new ProducerRecord<>(topic, closed(json));
        }
    }

    private static StringBuilder object(long window) {
        return new StringBuilder(100).append("{\"window\":").append(window).append(',');
    }

    private static void number(StringBuilder json, String name, long value) {
        json.append(",\"").append(name).append("\":").append(value);
    }

    private static byte[] closed(StringBuilder json) {
        return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }
}
