/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * {@link Suppressed} between two tasks and in checkpoints: a version, count, first, last,
 * partition, offset, topic and id.
 */
final class SuppressedSerializer extends TypeSerializerSingleton<Suppressed> {
    static final SuppressedSerializer INSTANCE = new SuppressedSerializer();

    private static final byte VERSION = 1;

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public Suppressed createInstance() {
        return new Suppressed("", 1, 0, 0, "", 0, 0);
    }

    @Override
    public Suppressed copy(Suppressed from) {
        return from;
    }

    @Override
    public Suppressed copy(Suppressed from, Suppressed reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(Suppressed suppressed, DataOutputView target) throws IOException {
        target.writeByte(VERSION);
        target.writeLong(suppressed.count());
        target.writeLong(suppressed.first());
        target.writeLong(suppressed.last());
        target.writeInt(suppressed.partition());
        target.writeLong(suppressed.offset());
        target.writeUTF(suppressed.topic());
        StringValue.writeString(suppressed.id(), target);
    }

    @Override
    public Suppressed deserialize(DataInputView source) throws IOException {
        byte version = source.readByte();
        if (version != VERSION) {
            throw new IOException("a count of version " + version + ", but this reads 1 only");
        }
        long count = source.readLong();
        if (count < 1) {
            throw new IOException("a count of " + count + " suppressed duplicates");
        }
        long first = source.readLong();
        long last = source.readLong();
        int partition = source.readInt();
        long offset = source.readLong();
        String topic = source.readUTF();
        return new Suppressed(
                StringValue.readString(source), count, first, last, topic, partition, offset);
    }

    @Override
    public Suppressed deserialize(Suppressed reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public TypeSerializerSnapshot<Suppressed> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Records in a checkpoint which serializer wrote it; it has only version and class name. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Suppressed> {
        /** Called by Flink on restore. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
