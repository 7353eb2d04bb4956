/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * An {@link Incoming} between two Flink tasks: a byte that says which of these it is, then for an
 * operation three longs (25 bytes in all), for a segment of a flow 2 bytes more, for rejected bytes
 * their origin and themselves.
 */
final class IncomingSerializer extends TypeSerializerSingleton<Incoming> {
    static final IncomingSerializer INSTANCE = new IncomingSerializer();

    private static final byte OPERATION = 0;
    private static final byte REJECTED = 1;
    private static final byte SEGMENT = 2;
    private static final int NULL_LENGTH = -1;

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
            int segment = incoming.segment();
            target.writeByte(segment == 0 ? OPERATION : SEGMENT);
            target.writeLong(incoming.flow());
            target.writeLong(incoming.operationId());
            target.writeLong(incoming.timestampMillis());
            if (segment != 0) {
                target.writeShort(segment);
            }
        } else {
            target.writeByte(REJECTED);
            target.writeUTF(rejected.reason());
            target.writeUTF(rejected.topic());
            target.writeInt(rejected.partition());
            target.writeLong(rejected.offset());
            writeBytes(rejected.key(), target);
            writeBytes(rejected.value(), target);
        }
    }

    private static void writeBytes(@Nullable byte[] bytes, DataOutputView target)
            throws IOException {
        if (bytes == null) {
            target.writeInt(NULL_LENGTH);
        } else {
            target.writeInt(bytes.length);
            target.write(bytes);
        }
    }

    @Override
    public Incoming deserialize(DataInputView source) throws IOException {
        return deserialize(new Incoming(), source);
    }

    @Override
    public Incoming deserialize(Incoming reuse, DataInputView source) throws IOException {
        byte which = source.readByte();
        if (which == REJECTED) {
            return reuse.set(readRejected(source));
        }
        return reuse.set(
                source.readLong(),
                source.readLong(),
                source.readLong(),
                which == SEGMENT ? source.readUnsignedShort() : 0);
    }

    private static Rejected readRejected(DataInputView source) throws IOException {
        return new Rejected(
                source.readUTF(),
                source.readUTF(),
                source.readInt(),
                source.readLong(),
                readBytes(source),
                readBytes(source));
    }

    @Nullable
    private static byte[] readBytes(DataInputView source) throws IOException {
        int length = source.readInt();
        if (length == NULL_LENGTH) {
            return null;
        }
        byte[] bytes = new byte[length];
        source.readFully(bytes);
        return bytes;
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        byte which = source.readByte();
        if (which != REJECTED) {
            target.writeByte(which);
            target.writeLong(source.readLong());
            target.writeLong(source.readLong());
            target.writeLong(source.readLong());
            if (which == SEGMENT) {
                target.writeShort(source.readShort());
            }
        } else {
            serialize(Incoming.of(readRejected(source)), target);
        }
    }

    @Override
    public TypeSerializerSnapshot<Incoming> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Says in a checkpoint which serializer wrote; version and class name are all there is. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Incoming> {
        /** Called by Flink on restore. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
