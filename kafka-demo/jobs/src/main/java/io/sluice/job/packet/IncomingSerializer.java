/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.job.Rejected;
import io.sluice.message.NullableBytes;
import io.sluice.record.PacketRecordSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * An {@link Incoming} between two Flink tasks, as only dead letters go, unless chaining is off: a
 * byte that says which kind it is, then the packet record, or origin and bytes of what was
 * rejected.
 */
final class IncomingSerializer extends TypeSerializerSingleton<Incoming> {
    static final IncomingSerializer INSTANCE = new IncomingSerializer();

    private static final byte PACKET = 0;
    private static final byte REJECTED = 1;

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public Incoming createInstance() {
        return new Incoming();
    }

    @Override
    public Incoming copy(Incoming from) {
        return new Incoming().set(from);
    }

    @Override
    public Incoming copy(Incoming from, Incoming reuse) {
        return reuse.set(from);
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(Incoming incoming, DataOutputView target) throws IOException {
        Rejected rejected = incoming.rejected();
        if (rejected == null) {
            target.writeByte(PACKET);
            PacketRecordSerializer.INSTANCE.serialize(incoming.packet(), target);
        } else {
            target.writeByte(REJECTED);
            target.writeUTF(rejected.reason());
            target.writeUTF(rejected.topic());
            target.writeInt(rejected.partition());
            target.writeLong(rejected.offset());
            target.writeLong(rejected.timestamp());
            NullableBytes.write(rejected.key(), target);
            NullableBytes.write(rejected.value(), target);
        }
    }

    @Override
    public Incoming deserialize(DataInputView source) throws IOException {
        return deserialize(new Incoming(), source);
    }

    @Override
    public Incoming deserialize(Incoming reuse, DataInputView source) throws IOException {
        byte which = source.readByte();
        switch (which) {
            case PACKET -> {
                PacketRecordSerializer.INSTANCE.deserialize(reuse.packet(), source);
                reuse.set((Rejected) null);
            }
            case REJECTED -> reuse.set(readRejected(source));
            default -> throw new IOException("a record of an unknown kind: " + which);
        }
        return reuse;
    }

    private static Rejected readRejected(DataInputView source) throws IOException {
        return new Rejected(
                source.readUTF(),
                source.readUTF(),
                source.readInt(),
                source.readLong(),
                source.readLong(),
                NullableBytes.read(source),
                NullableBytes.read(source));
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public TypeSerializerSnapshot<Incoming> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Records in a checkpoint which serializer wrote it; it has only version and class name. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Incoming> {
        /** Called by Flink on restore. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
