/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.message.MessageKind;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Code of the kind (1 byte), group (4), window (8), length (4), and the bytes; big-endian. */
final class ReplicaMessageSerializer extends TypeSerializerSingleton<ReplicaMessage> {

    static final ReplicaMessageSerializer INSTANCE = new ReplicaMessageSerializer();

    private static final int HEAD_BYTES = 1 + Integer.BYTES + Long.BYTES;

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public ReplicaMessage createInstance() {
        return new ReplicaMessage(MessageKind.DIGEST, 0, 0, new byte[0]);
    }

    @Override
    public ReplicaMessage copy(ReplicaMessage from) {
        return from;
    }

    @Override
    public ReplicaMessage copy(ReplicaMessage from, ReplicaMessage reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(ReplicaMessage message, DataOutputView target) throws IOException {
        target.writeByte(message.kind().code());
        target.writeInt(message.group());
        target.writeLong(message.window());
        target.writeInt(message.bytes().length);
        target.write(message.bytes());
    }

    @Override
    public ReplicaMessage deserialize(DataInputView source) throws IOException {
        int code = source.readByte();
        MessageKind kind = MessageKind.ofCode(code);
        int group = source.readInt();
        long window = source.readLong();
        int length = source.readInt();
        if (kind == null || length < 0) {
            throw new IOException(
                    "damaged message: no kind has the code "
                            + code
                            + ", or no length is "
                            + length);
        }
        byte[] bytes = new byte[length];
        source.readFully(bytes);
        return new ReplicaMessage(kind, group, window, bytes);
    }

    @Override
    public ReplicaMessage deserialize(ReplicaMessage reuse, DataInputView source)
            throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        target.write(source, HEAD_BYTES);
        int length = source.readInt();
        target.writeInt(length);
        target.write(source, length);
    }

    @Override
    public TypeSerializerSnapshot<ReplicaMessage> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The serializer has no configuration: its name says everything. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<ReplicaMessage> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
