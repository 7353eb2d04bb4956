/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * A {@link TcpSegment} between two Flink tasks: the flow and 16 bits, and of TCP the VLANs, its
 * length, both ports and both addresses: 30 bytes with IPv4, 54 with IPv6.
 */
final class TcpSegmentSerializer extends TypeSerializerSingleton<TcpSegment> {
    static final TcpSegmentSerializer INSTANCE = new TcpSegmentSerializer();

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public TcpSegment createInstance() {
        return new TcpSegment();
    }

    @Override
    public TcpSegment copy(TcpSegment from) {
        return new TcpSegment().set(from);
    }

    @Override
    public TcpSegment copy(TcpSegment from, TcpSegment reuse) {
        return reuse.set(from);
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(TcpSegment segment, DataOutputView target) throws IOException {
        target.writeLong(segment.flow());
        target.writeShort(segment.bits());
        if (!segment.isTcp()) {
            return;
        }
        target.writeInt(segment.vlans());
        target.writeInt(segment.bytes());
        target.writeInt(segment.ports());
        if (segment.isIpv6()) {
            target.writeLong(segment.sourceHigh());
            target.writeLong(segment.sourceLow());
            target.writeLong(segment.destinationHigh());
            target.writeLong(segment.destinationLow());
        } else {
            target.writeInt((int) segment.sourceLow());
            target.writeInt((int) segment.destinationLow());
        }
    }

    @Override
    public TcpSegment deserialize(DataInputView source) throws IOException {
        return deserialize(new TcpSegment(), source);
    }

    @Override
    public TcpSegment deserialize(TcpSegment reuse, DataInputView source) throws IOException {
        reuse.set(source.readLong(), source.readUnsignedShort());
        if (!reuse.isTcp()) {
            return reuse;
        }
        reuse.setVlans(source.readInt());
        reuse.setBytes(source.readInt());
        int ports = source.readInt();
        return reuse.isIpv6()
                ? reuse.setEnds(
                        source.readLong(),
                        source.readLong(),
                        source.readLong(),
                        source.readLong(),
                        ports)
                : reuse.setEnds(0, readIpv4(source), 0, readIpv4(source), ports);
    }

    private static long readIpv4(DataInputView source) throws IOException {
        return source.readInt() & 0xffff_ffffL;
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public TypeSerializerSnapshot<TcpSegment> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Records in a checkpoint which serializer wrote it; it has only version and class name. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<TcpSegment> {
        /** Called by Flink on restore. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
