/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.job.Rejected;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecordCodec;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Every Kafka record becomes one {@link Incoming}: a packet, or rejected bytes. No bytes make it
 * throw.
 *
 * <p>All packets come in one reused instance, as object reuse in Flink allows: it is serialized or
 * consumed before the next record is read.
 */
final class IncomingSchema implements KafkaRecordDeserializationSchema<Incoming> {
    private transient PacketRecordCodec codec;
    private transient Incoming incoming;

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
        codec = new PacketRecordCodec();
        incoming = new Incoming();
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> kafka, Collector<Incoming> out) {
        DecodeResult result = codec.decode(kafka.value(), incoming.packet());
        if (result.isOk()) {
            out.collect(incoming);
        } else {
            out.collect(rejected(kafka, result));
        }
    }

    static Incoming rejected(ConsumerRecord<byte[], byte[]> kafka, DecodeResult result) {
        return Incoming.of(
                new Rejected(
                        result.code(),
                        kafka.topic(),
                        kafka.partition(),
                        kafka.offset(),
                        kafka.timestamp(),
                        kafka.key(),
                        kafka.value()));
    }

    @Override
    public TypeInformation<Incoming> getProducedType() {
        return Incoming.TYPE;
    }
}
