/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Flow (8 bytes), milliseconds (8), code of the state (1), 1 if it timed out (1); big-endian. */
public final class FinishedFlowSerializer extends ImmutableSerializer<FinishedFlow> {

    public static final FinishedFlowSerializer INSTANCE = new FinishedFlowSerializer();

    /** Bytes of each. */
    public static final int BYTES = 2 * Long.BYTES + 2;

    private FinishedFlowSerializer() {
        super(BYTES);
    }

    @Override
    public FinishedFlow createInstance() {
        return new FinishedFlow(0, ConnState.OTH, false, 0);
    }

    @Override
    public void serialize(FinishedFlow finished, DataOutputView target) throws IOException {
        target.writeLong(finished.flow());
        target.writeLong(finished.millis());
        target.writeByte(finished.state().code());
        target.writeBoolean(finished.timedOut());
    }

    @Override
    public FinishedFlow deserialize(DataInputView source) throws IOException {
        long flow = source.readLong();
        long millis = source.readLong();
        int code = source.readByte();
        boolean timedOut = source.readBoolean();
        try {
            return new FinishedFlow(flow, ConnState.ofCode(code), timedOut, millis);
        } catch (IllegalArgumentException e) {
            throw unknown("finished flow", e);
        }
    }

    @Override
    public TypeSerializerSnapshot<FinishedFlow> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The serializer has no configuration: its name says everything. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<FinishedFlow> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
