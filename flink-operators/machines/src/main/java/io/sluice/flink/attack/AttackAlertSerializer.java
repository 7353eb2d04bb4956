/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.AddressBytes;
import io.sluice.flink.runtime.ImmutableSerializer;
import java.io.IOException;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Code of the kind (1 byte), 1 if it was raised (1), address (16), port (4), then attempts,
 * completed, refused, targets, first and last milliseconds (8 each); big-endian.
 */
@Internal
public final class AttackAlertSerializer extends ImmutableSerializer<AttackAlert> {

    public static final AttackAlertSerializer INSTANCE = new AttackAlertSerializer();

    /** Bytes of each alert. */
    public static final int BYTES = 2 + Address.BYTES + Integer.BYTES + 6 * Long.BYTES;

    private AttackAlertSerializer() {
        super(BYTES);
    }

    @Override
    public AttackAlert createInstance() {
        return new AttackAlert(
                AttackKind.SCAN, true, new Address(0, 0), Party.NO_PORT, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public void serialize(AttackAlert alert, DataOutputView target) throws IOException {
        target.writeByte(alert.kind().code());
        target.writeBoolean(alert.raised());
        AddressBytes.write(alert.address(), target);
        target.writeInt(alert.port());
        target.writeLong(alert.attempts());
        target.writeLong(alert.completed());
        target.writeLong(alert.refused());
        target.writeLong(alert.targets());
        target.writeLong(alert.firstMillis());
        target.writeLong(alert.millis());
    }

    @Override
    public AttackAlert deserialize(DataInputView source) throws IOException {
        int code = source.readByte();
        try {
            return new AttackAlert(
                    AttackKind.ofCode(code),
                    source.readBoolean(),
                    AddressBytes.read(source),
                    source.readInt(),
                    source.readLong(),
                    source.readLong(),
                    source.readLong(),
                    source.readLong(),
                    source.readLong(),
                    source.readLong());
        } catch (IllegalArgumentException e) {
            throw unknown("attack", e);
        }
    }

    @Override
    public TypeSerializerSnapshot<AttackAlert> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The serializer has no configuration: its name says everything. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<AttackAlert> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
