/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.kafka.common.TopicPartition;

/**
 * The Kafka records that the values of one transaction were made from, and how many values there
 * are. A record takes one byte where offsets follow each other closely.
 */
public final class Origins {

    /**
     * One record.
     *
     * @param kind a number that says how the value is made from the record
     */
    record Origin(long offset, int kind) {}

    /** The records of one partition, each as its distance from the one before. */
    private static final class Offsets {
        private final DataOutputSerializer bytes;
        private long first = Long.MAX_VALUE;
        private long last = Long.MIN_VALUE;
        private long before;
        private int kind;

        Offsets(int size) {
            bytes = new DataOutputSerializer(size);
        }

        void add(long offset, int kindOfThis) throws IOException {
            boolean changed = kindOfThis != kind;
            long distance = offset - before;
            long unsigned = (distance << 1) ^ (distance >> 63);
            writeVarLong((unsigned << 1) | (changed ? 1 : 0), bytes);
            if (changed) {
                writeVarLong(kindOfThis, bytes);
            }
            before = offset;
            kind = kindOfThis;
            first = Math.min(first, offset);
            last = Math.max(last, offset);
        }

        List<Origin> list() throws IOException {
            DataInputDeserializer in =
                    new DataInputDeserializer(bytes.getSharedBuffer(), 0, bytes.length());
            List<Origin> list = new ArrayList<>();
            long offset = 0;
            int kindOfThis = 0;
            while (in.available() > 0) {
                long coded = readVarLong(in);
                long unsigned = coded >>> 1;
                offset += (unsigned >>> 1) ^ -(unsigned & 1);
                if ((coded & 1) != 0) {
                    kindOfThis = (int) readVarLong(in);
                }
                list.add(new Origin(offset, kindOfThis));
            }
            return list;
        }
    }

    private static final int INITIAL_BYTES = 64;

    private final Map<TopicPartition, Offsets> partitions = new LinkedHashMap<>();
    private long values;

    /** Counts a value whose origin is not known. */
    public void add() {
        values++;
    }

    /**
     * Adds a record and counts its value.
     *
     * @param offset at least 0
     * @param kind at least 0; how {@link Provenance#again} makes the value
     */
    public void add(String topic, int partition, long offset, int kind) {
        values++;
        try {
            partitions
                    .computeIfAbsent(
                            new TopicPartition(topic, partition), p -> new Offsets(INITIAL_BYTES))
                    .add(offset, kind);
        } catch (IOException e) {
            throw new AssertionError("memory takes all bytes", e);
        }
    }

    /** How many values there are. */
    long values() {
        return values;
    }

    /** Whether every value can be made again. */
    boolean isComplete() throws IOException {
        long known = 0;
        for (Offsets offsets : partitions.values()) {
            known += offsets.list().size();
        }
        return known == values;
    }

    /** The records of each partition, in the order in which they were added. */
    Map<TopicPartition, List<Origin>> byPartition() throws IOException {
        Map<TopicPartition, List<Origin>> lists = new LinkedHashMap<>();
        for (Map.Entry<TopicPartition, Offsets> entry : partitions.entrySet()) {
            lists.put(entry.getKey(), entry.getValue().list());
        }
        return lists;
    }

    void write(DataOutputView out) throws IOException {
        out.writeLong(values);
        out.writeInt(partitions.size());
        for (Map.Entry<TopicPartition, Offsets> entry : partitions.entrySet()) {
            Offsets offsets = entry.getValue();
            out.writeUTF(entry.getKey().topic());
            out.writeInt(entry.getKey().partition());
            out.writeLong(offsets.first);
            out.writeLong(offsets.last);
            out.writeInt(offsets.bytes.length());
            out.write(offsets.bytes.getSharedBuffer(), 0, offsets.bytes.length());
        }
    }

    static Origins read(DataInputView in) throws IOException {
        Origins origins = new Origins();
        origins.values = in.readLong();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            TopicPartition partition = new TopicPartition(in.readUTF(), in.readInt());
            long first = in.readLong();
            long last = in.readLong();
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            Offsets offsets = new Offsets(Math.max(1, bytes.length));
            offsets.first = first;
            offsets.last = last;
            offsets.bytes.write(bytes);
            origins.partitions.put(partition, offsets);
        }
        return origins;
    }

    private static void writeVarLong(long value, DataOutputView out) throws IOException {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.writeByte((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }

    private static long readVarLong(DataInputView in) throws IOException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = in.readByte();
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IOException("a number of more than ten bytes");
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%,d records", values));
        String separator = " made from ";
        for (Map.Entry<TopicPartition, Offsets> entry : partitions.entrySet()) {
            text.append(separator)
                    .append(entry.getKey())
                    .append(" from offset ")
                    .append(entry.getValue().first)
                    .append(" to ")
                    .append(entry.getValue().last);
            separator = ", ";
        }
        return text.toString();
    }
}
