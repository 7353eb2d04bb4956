/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.job.Rejected;
import io.sluice.kafka.commit.Origins;
import io.sluice.kafka.commit.Provenance;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Rejects a record once more, for the same reason. */
final class RejectedProvenance implements Provenance<Incoming> {
    private static final long serialVersionUID = 1L;

    @Override
    public void add(Incoming incoming, Origins origins) {
        Rejected rejected = incoming.rejected();
        origins.add(rejected.topic(), rejected.partition(), rejected.offset(), 0);
    }

    @Override
    public Incoming again(ConsumerRecord<byte[], byte[]> origin, int kind) {
        DecodeResult result = new PacketRecordCodec().decode(origin.value(), new PacketRecord());
        return IncomingSchema.rejected(origin, result);
    }
}
