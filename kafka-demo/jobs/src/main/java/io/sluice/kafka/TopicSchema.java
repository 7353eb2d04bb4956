/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetIdentifier;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacetProvider;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.metrics.MetricGroup;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Makes records for one topic, which Flink's lineage names. */
public abstract class TopicSchema<T>
        implements KafkaRecordSerializationSchema<T>, KafkaDatasetFacetProvider {
    /** Where the records go. */
    public final String topic;

    private transient boolean isOpen;

    public TopicSchema(String topic) {
        this.topic = topic;
    }

    /**
     * The connector opens the schema of a sink with transactions twice. Counters that were made the
     * second time would not be those that are reported.
     */
    @Override
    public final void open(SerializationSchema.InitializationContext context, KafkaSinkContext sink)
            throws IOException {
        if (!isOpen) {
            isOpen = true;
            begin(context.getMetricGroup());
        }
    }

    /**
     * Prepares for the first record. Called once.
     *
     * @throws IOException if something that records need does not answer
     */
    protected void begin(MetricGroup metrics) throws IOException {}

    /** A record of ASCII text. */
    protected final ProducerRecord<byte[], byte[]> record(String key, CharSequence value) {
        return new ProducerRecord<>(
                topic, key.getBytes(US_ASCII), value.toString().getBytes(US_ASCII));
    }

    /** The topic without the sink's properties, since they may contain a password. */
    private static final class Lineage extends DefaultKafkaDatasetFacet {
        Lineage(String topic) {
            super(DefaultKafkaDatasetIdentifier.ofTopics(List.of(topic)), new Properties());
        }

        @Override
        public void setProperties(Properties unused) {
            super.setProperties(new Properties());
        }
    }

    @Override
    public Optional<KafkaDatasetFacet> getKafkaDatasetFacet() {
        return Optional.of(new Lineage(topic));
    }
}
