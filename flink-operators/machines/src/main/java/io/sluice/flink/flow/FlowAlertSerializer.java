/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.runtime.ImmutableSerializer;
import java.io.IOException;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Flow (8 bytes), milliseconds (8), code of the kind (1), flags (1); big-endian. */
@Internal
public final class FlowAlertSerializer extends ImmutableSerializer<FlowAlert> {

    public static final FlowAlertSerializer INSTANCE = new FlowAlertSerializer();

    /** Bytes of each alert. */
    public static final int BYTES = 2 * Long.BYTES + 2;

    private FlowAlertSerializer() {
        super(BYTES);
    }

    @Override
    public FlowAlert createInstance() {
        return new FlowAlert(FlowAlert.Kind.FIN_AND_RST, 0, 0, 0);
    }

    @Override
    public void serialize(FlowAlert alert, DataOutputView target) throws IOException {
        target.writeLong(alert.flow());
        target.writeLong(alert.millis());
        target.writeByte(alert.kind().code());
        target.writeByte(alert.flags());
    }

    @Override
    public FlowAlert deserialize(DataInputView source) throws IOException {
        long flow = source.readLong();
        long millis = source.readLong();
        int code = source.readByte();
        int flags = source.readUnsignedByte();
        try {
            return new FlowAlert(FlowAlert.Kind.ofCode(code), flow, flags, millis);
        } catch (IllegalArgumentException e) {
            throw unknown("alert", e);
        }
    }

    @Override
    public TypeSerializerSnapshot<FlowAlert> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The serializer has no configuration: its name says everything. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<FlowAlert> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
