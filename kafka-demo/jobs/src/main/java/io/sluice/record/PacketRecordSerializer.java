/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * A {@link PacketRecord} between two Flink tasks: one byte of IP version, the numbers big-endian as
 * Flink writes them, then addresses of 4 or 16 bytes: 40 or 64 bytes together. No magic and no
 * checksum: Flink's channels and checkpoints have their own.
 */
public final class PacketRecordSerializer extends TypeSerializerSingleton<PacketRecord> {
    /** The only one needed: it has no state. */
    public static final PacketRecordSerializer INSTANCE = new PacketRecordSerializer();

    private static final int FIXED_BYTES = 32;

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public PacketRecord createInstance() {
        return new PacketRecord();
    }

    @Override
    public PacketRecord copy(PacketRecord from) {
        return PacketRecord.copyOf(from);
    }

    @Override
    public PacketRecord copy(PacketRecord from, PacketRecord reuse) {
        return reuse.set(from);
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(PacketRecord record, DataOutputView target) throws IOException {
        // One long instead of four bytes: a call to a view costs more than its bytes.
        target.writeLong(
                (long) record.ipVersion << 56
                        | (long) record.protocol << 48
                        | (long) record.tcpFlags << 40
                        | (long) record.status << 32
                        | (record.wireLength & 0xFFFFFFFFL));
        target.writeLong(record.operationId);
        target.writeLong(record.timestampNanos);
        target.writeLong(
                (long) record.sourcePort << 48
                        | (long) record.destinationPort << 32
                        | (long) record.vlan << 16
                        | record.innerVlan);
        if (record.ipVersion == 4) {
            target.writeLong(record.sourceLow << 32 | record.destinationLow);
        } else {
            target.writeLong(record.sourceHigh);
            target.writeLong(record.sourceLow);
            target.writeLong(record.destinationHigh);
            target.writeLong(record.destinationLow);
        }
    }

    @Override
    public PacketRecord deserialize(DataInputView source) throws IOException {
        return deserialize(new PacketRecord(), source);
    }

    @Override
    public PacketRecord deserialize(PacketRecord reuse, DataInputView source) throws IOException {
        long head = source.readLong();
        reuse.ipVersion = (int) (head >>> 56);
        reuse.protocol = (int) (head >>> 48) & 0xFF;
        reuse.tcpFlags = (int) (head >>> 40) & 0xFF;
        reuse.status = (int) (head >>> 32) & 0xFF;
        reuse.wireLength = (int) head;
        reuse.operationId = source.readLong();
        reuse.timestampNanos = source.readLong();
        long portsAndVlans = source.readLong();
        reuse.sourcePort = (int) (portsAndVlans >>> 48);
        reuse.destinationPort = (int) (portsAndVlans >>> 32) & 0xFFFF;
        reuse.vlan = (int) portsAndVlans >>> 16;
        reuse.innerVlan = (int) portsAndVlans & 0xFFFF;
        if (reuse.ipVersion == 4) {
            long addresses = source.readLong();
            reuse.sourceHigh = 0;
            reuse.sourceLow = addresses >>> 32;
            reuse.destinationHigh = 0;
            reuse.destinationLow = addresses & 0xFFFFFFFFL;
        } else {
            reuse.sourceHigh = source.readLong();
            reuse.sourceLow = source.readLong();
            reuse.destinationHigh = source.readLong();
            reuse.destinationLow = source.readLong();
        }
        return reuse;
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        long head = source.readLong();
        target.writeLong(head);
        int addressBytes =
                head >>> 56 == 4
                        ? 2 * RecordLayout.ADDRESS_BYTES_4
                        : 2 * RecordLayout.ADDRESS_BYTES_6;
        target.write(source, FIXED_BYTES - Long.BYTES + addressBytes);
    }

    @Override
    public TypeSerializerSnapshot<PacketRecord> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Records in a checkpoint which serializer wrote it; it has only version and class name. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<PacketRecord> {
        /** Called by Flink on restore. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
