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
 * An {@link Incoming} between two Flink tasks: a byte that says which kind it is, then for an
 * operation three longs (25 bytes in all), for a segment of a flow two longs, 2 bytes of the
 * segment, both ports and both addresses (31 bytes with IPv4, 55 with IPv6), for rejected bytes
 * their origin and the bytes.
 */
final class IncomingSerializer extends TypeSerializerSingleton<Incoming> {
    static final IncomingSerializer INSTANCE = new IncomingSerializer();

    private static final byte OPERATION = 0;
    private static final byte REJECTED = 1;

    /** Code 2 was a segment without its ends. */
    private static final byte IPV4_SEGMENT = 3;

    private static final byte IPV6_SEGMENT = 4;
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
        if (rejected == null && incoming.segment() != 0) {
            writeSegment(incoming, target);
        } else if (rejected == null) {
            target.writeByte(OPERATION);
            target.writeLong(incoming.flow());
            target.writeLong(incoming.operationId());
            target.writeLong(incoming.timestampMillis());
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

    private static void writeSegment(Incoming incoming, DataOutputView target) throws IOException {
        target.writeByte(incoming.isIpv6() ? IPV6_SEGMENT : IPV4_SEGMENT);
        target.writeLong(incoming.flow());
        target.writeLong(incoming.timestampMillis());
        target.writeShort(incoming.segment());
        target.writeInt(incoming.ports());
        if (incoming.isIpv6()) {
            target.writeLong(incoming.sourceHigh());
            target.writeLong(incoming.sourceLow());
            target.writeLong(incoming.destinationHigh());
            target.writeLong(incoming.destinationLow());
        } else {
            target.writeInt((int) incoming.sourceLow());
            target.writeInt((int) incoming.destinationLow());
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
        return switch (which) {
            case OPERATION -> reuse.set(source.readLong(), source.readLong(), source.readLong());
            case REJECTED -> reuse.set(readRejected(source));
            case IPV4_SEGMENT, IPV6_SEGMENT -> readSegment(reuse, which == IPV6_SEGMENT, source);
            default -> throw unknown(which);
        };
    }

    private static IOException unknown(byte which) {
        return new IOException("a record of an unknown kind: " + which);
    }

    private static Incoming readSegment(Incoming reuse, boolean isIpv6, DataInputView source)
            throws IOException {
        reuse.setSegment(source.readLong(), source.readLong(), source.readUnsignedShort());
        int ports = source.readInt();
        return isIpv6
                ? reuse.setEnds(
                        true,
                        source.readLong(),
                        source.readLong(),
                        source.readLong(),
                        source.readLong(),
                        ports)
                : reuse.setEnds(false, 0, readIpv4(source), 0, readIpv4(source), ports);
    }

    private static long readIpv4(DataInputView source) throws IOException {
        return source.readInt() & 0xffff_ffffL;
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
