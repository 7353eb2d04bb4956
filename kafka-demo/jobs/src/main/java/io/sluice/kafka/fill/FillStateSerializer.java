/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.function.SupplierWithException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Writes the state of the enumerator with the starts that its partitions are still to be given.
 * Each has the id of its topic: in one that was deleted and made anew it would hold back the first
 * records, so there it is left out.
 */
public final class FillStateSerializer implements SimpleVersionedSerializer<KafkaSourceEnumState> {
    /** The states of the connector have 3 and lower ones, if they stand alone. */
    private static final int VERSION = 101;

    private static final int INITIAL_BYTES = 256;

    private final SimpleVersionedSerializer<KafkaSourceEnumState> states;
    private final SupplierWithException<Map<String, Uuid>, IOException> topicIds;

    /**
     * @param states the serializer of the connector
     * @param topicIds asks the broker for the ids of the topics that exist
     */
    public FillStateSerializer(
            SimpleVersionedSerializer<KafkaSourceEnumState> states,
            SupplierWithException<Map<String, Uuid>, IOException> topicIds) {
        this.states = states;
        this.topicIds = topicIds;
    }

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(KafkaSourceEnumState state) throws IOException {
        Map<TopicPartition, Long> starts =
                state instanceof FillState with ? with.starts() : Map.of();
        Map<String, Uuid> ids = starts.isEmpty() ? Map.of() : topicIds.get();
        DataOutputSerializer out = new DataOutputSerializer(INITIAL_BYTES);
        out.writeInt(starts.size());
        for (Map.Entry<TopicPartition, Long> start : starts.entrySet()) {
            TopicPartition partition = start.getKey();
            Uuid id = ids.getOrDefault(partition.topic(), Uuid.ZERO_UUID);
            out.writeUTF(partition.topic());
            out.writeLong(id.getMostSignificantBits());
            out.writeLong(id.getLeastSignificantBits());
            out.writeInt(partition.partition());
            out.writeLong(start.getValue());
        }
        SimpleVersionedSerialization.writeVersionAndSerialize(states, state, out);
        return out.getCopyOfBuffer();
    }

    @Override
    public KafkaSourceEnumState deserialize(int version, byte[] bytes) throws IOException {
        if (version != VERSION) {
            throw new IOException(
                    "a state of the source of version "
                            + version
                            + ", but this reads "
                            + VERSION
                            + " only: restore the job with the build that wrote it");
        }
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        int count = in.readInt();
        Map<String, Uuid> ids = count == 0 ? Map.of() : topicIds.get();
        Map<TopicPartition, Long> starts = new HashMap<>();
        for (int i = 0; i < count; i++) {
            String topic = in.readUTF();
            Uuid id = new Uuid(in.readLong(), in.readLong());
            TopicPartition partition = new TopicPartition(topic, in.readInt());
            long start = in.readLong();
            Uuid present = ids.getOrDefault(topic, Uuid.ZERO_UUID);
            if (id.equals(present) || id.equals(Uuid.ZERO_UUID) || present.equals(Uuid.ZERO_UUID)) {
                starts.put(partition, start);
            }
        }
        KafkaSourceEnumState state =
                SimpleVersionedSerialization.readVersionAndDeSerialize(states, in);
        return starts.isEmpty() ? state : new FillState(state, starts);
    }
}
