/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * A {@link Segment} between two Flink tasks: the flow and 16 bits, and of TCP both ports and both
 * addresses: 22 bytes with IPv4, 46 with IPv6.
 */
final class SegmentSerializer extends TypeSerializerSingleton<Segment> {
    static final SegmentSerializer INSTANCE = new SegmentSerializer();

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public Segment createInstance() {
        return new Segment();
    }

    @Override
    public Segment copy(Segment from) {
        return new Segment().set(from);
    }

    @Override
    public Segment copy(Segment from, Segment reuse) {
        return reuse.set(from);
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(Segment segment, DataOutputView target) throws IOException {
        target.writeLong(segment.flow());
        target.writeShort(segment.bits());
        if (!segment.isTcp()) {
            return;
        }
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
    public Segment deserialize(DataInputView source) throws IOException {
        return deserialize(new Segment(), source);
    }

    @Override
    public Segment deserialize(Segment reuse, DataInputView source) throws IOException {
        reuse.set(source.readLong(), source.readUnsignedShort());
        if (!reuse.isTcp()) {
            return reuse;
        }
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
    public TypeSerializerSnapshot<Segment> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Records in a checkpoint which serializer wrote it; it has only version and class name. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Segment> {
        /** Called by Flink on restore. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
