/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.commit;

import java.io.IOException;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * A transaction that a checkpoint is about to commit, and what its values were made from.
 *
 * @param transaction of the connector
 */
record Committable(KafkaCommittable transaction, Origins origins) {

    /** The number of the checkpoint that the transaction belongs to; it ends the name. */
    String checkpoint() {
        String name = transaction.getTransactionalId();
        return name.substring(name.lastIndexOf('-') + 1);
    }

    /** Writes committables to checkpoints. */
    static final class Serializer implements SimpleVersionedSerializer<Committable> {
        private static final int VERSION = 1;
        private static final int INITIAL_BYTES = 256;

        private final SimpleVersionedSerializer<KafkaCommittable> transactions;

        Serializer(SimpleVersionedSerializer<KafkaCommittable> transactions) {
            this.transactions = transactions;
        }

        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(Committable committable) throws IOException {
            DataOutputSerializer out = new DataOutputSerializer(INITIAL_BYTES);
            SimpleVersionedSerialization.writeVersionAndSerialize(
                    transactions, committable.transaction, out);
            committable.origins.write(out);
            return out.getCopyOfBuffer();
        }

        @Override
        public Committable deserialize(int version, byte[] bytes) throws IOException {
            if (version != VERSION) {
                throw new IOException(
                        "a transaction of version "
                                + version
                                + ", but this reads "
                                + VERSION
                                + " only: restore the job with the build that wrote it");
            }
            DataInputDeserializer in = new DataInputDeserializer(bytes);
            KafkaCommittable transaction =
                    SimpleVersionedSerialization.readVersionAndDeSerialize(transactions, in);
            return new Committable(transaction, Origins.read(in));
        }
    }
}
