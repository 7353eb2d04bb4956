/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.identity;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the offset of a partition to checkpoints, with the {@link SourceIdentity} that it belongs
 * to. What belongs to another one is refused when it is read: an offset in a topic that was deleted
 * and made anew would skip its first records, and with other ids every duplicate would pass.
 */
public final class IdentifiedSplits implements SimpleVersionedSerializer<KafkaPartitionSplit> {
    /** The option that accepts a topic that was made anew. */
    public static final String ACCEPT_NEW_TOPIC = "--accept-new-topic";

    private static final Logger LOG = LoggerFactory.getLogger(IdentifiedSplits.class);

    /** The splits of the connector have 0 and lower ones, if they stand alone. */
    private static final int VERSION = 101;

    /** In place of the start of a partition that is written from its beginning. */
    private static final long NO_START = -1;

    private static final int INITIAL_BYTES = 256;

    private final SimpleVersionedSerializer<KafkaPartitionSplit> splits;
    private final SourceIdentity identity;

    /** Of the topics that were seen so far: one that is made anew later is another topic. */
    private final Map<String, Uuid> topicIds = new HashMap<>();

    /**
     * @param splits the serializer of the connector
     */
    public IdentifiedSplits(
            SimpleVersionedSerializer<KafkaPartitionSplit> splits, SourceIdentity identity) {
        this.splits = splits;
        this.identity = identity;
    }

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(KafkaPartitionSplit split) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(INITIAL_BYTES);
        Uuid id = idOf(split.getTopic());
        out.writeLong(id.getMostSignificantBits());
        out.writeLong(id.getLeastSignificantBits());
        out.writeLong(split instanceof StartedSplit started ? started.start() : NO_START);
        out.writeInt(identity.options().size());
        for (Map.Entry<String, String> option : identity.options().entrySet()) {
            out.writeUTF(option.getKey());
            out.writeUTF(option.getValue());
        }
        SimpleVersionedSerialization.writeVersionAndSerialize(splits, split, out);
        return out.getCopyOfBuffer();
    }

    /**
     * {@inheritDoc}
     *
     * @throws SuppressRestartsException if the split belongs to another identity, naming both
     */
    @Override
    public KafkaPartitionSplit deserialize(int version, byte[] bytes) throws IOException {
        if (version != VERSION) {
            throw new IOException(
                    "an offset of version "
                            + version
                            + ", but this reads "
                            + VERSION
                            + " only: restore the job with the build that wrote it");
        }
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        Uuid id = new Uuid(in.readLong(), in.readLong());
        long start = in.readLong();
        Map<String, String> options = new TreeMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            options.put(in.readUTF(), in.readUTF());
        }
        KafkaPartitionSplit split =
                SimpleVersionedSerialization.readVersionAndDeSerialize(splits, in);
        requireSame(options);
        String topic = split.getTopic();
        if (!identity.topics().contains(topic)) {
            throw refusal(
                    "the state is of topic '"
                            + topic
                            + "', but "
                            + identity.topics()
                            + ": name it too, or begin without the state");
        }
        Uuid present = idOf(topic);
        if (id.equals(present) || id.equals(Uuid.ZERO_UUID) || present.equals(Uuid.ZERO_UUID)) {
            return start == NO_START ? split : new StartedSplit(split, start);
        }
        if (!identity.acceptsNewTopics()) {
            throw refusal(
                    "topic '"
                            + topic
                            + "' was deleted and made anew: the state is of the one with the id "
                            + id
                            + ", and this one has "
                            + present
                            + ": say "
                            + ACCEPT_NEW_TOPIC
                            + " to read it from its beginning, or begin without the state");
        }
        LOG.warn(
                "Topic '{}' was made anew: partition {} is read from its beginning instead of from"
                        + " offset {}",
                topic,
                split.getPartition(),
                split.getStartingOffset());
        return new KafkaPartitionSplit(
                split.getTopicPartition(), KafkaPartitionSplit.EARLIEST_OFFSET);
    }

    private void requireSame(Map<String, String> options) {
        identity.options()
                .forEach(
                        (option, value) -> {
                            String before = options.get(option);
                            if (before != null && !before.equals(value)) {
                                throw refusal(
                                        "the state was made with "
                                                + option
                                                + " "
                                                + before
                                                + ", and now it is "
                                                + value
                                                + ": say "
                                                + option
                                                + " "
                                                + before
                                                + ", or begin without the state");
                            }
                        });
    }

    private Uuid idOf(String topic) throws IOException {
        if (!topicIds.containsKey(topic)) {
            identity.topicIds().forEach(topicIds::putIfAbsent);
            topicIds.putIfAbsent(topic, Uuid.ZERO_UUID);
        }
        return topicIds.get(topic);
    }

    private static SuppressRestartsException refusal(String message) {
        // Restarted, it would find the same.
        return new SuppressRestartsException(new IllegalStateException(message));
    }
}
