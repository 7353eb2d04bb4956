/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.runtime.ImmutableSerializer;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Flow (8 bytes), milliseconds (8), code of the state (1), code of the reason (1), 1 if the ends
 * are known (1), and both addresses (16 each) and ports (2 each), 0 if unknown; big-endian.
 */
@Internal
public final class FinishedFlowSerializer extends ImmutableSerializer<FinishedFlow> {

    public static final FinishedFlowSerializer INSTANCE = new FinishedFlowSerializer();

    /** Bytes of each flow. */
    public static final int BYTES = 2 * Long.BYTES + 3 + 2 * Address.BYTES + 2 * Short.BYTES;

    private static final Address NONE = new Address(0, 0);
    private static final Endpoints NO_ENDS = new Endpoints(NONE, 0, NONE, 0);

    private FinishedFlowSerializer() {
        super(BYTES);
    }

    @Override
    public FinishedFlow createInstance() {
        return new FinishedFlow(0, ConnState.OTH, FinishedFlow.Reason.ENDED, 0, null);
    }

    @Override
    public void serialize(FinishedFlow finished, DataOutputView target) throws IOException {
        target.writeLong(finished.flow());
        target.writeLong(finished.millis());
        target.writeByte(finished.state().code());
        target.writeByte(finished.reason().code());
        Endpoints ends = finished.ends() == null ? NO_ENDS : finished.ends();
        target.writeBoolean(finished.ends() != null);
        AddressBytes.write(ends.from(), target);
        AddressBytes.write(ends.to(), target);
        target.writeShort(ends.fromPort());
        target.writeShort(ends.toPort());
    }

    @Override
    public FinishedFlow deserialize(DataInputView source) throws IOException {
        long flow = source.readLong();
        long millis = source.readLong();
        int code = source.readByte();
        int reason = source.readByte();
        Endpoints ends = readEnds(source);
        try {
            return new FinishedFlow(
                    flow, ConnState.ofCode(code), FinishedFlow.Reason.ofCode(reason), millis, ends);
        } catch (IllegalArgumentException e) {
            throw unknown("finished flow", e);
        }
    }

    @Nullable
    private static Endpoints readEnds(DataInputView source) throws IOException {
        boolean areKnown = source.readBoolean();
        Address from = AddressBytes.read(source);
        Address to = AddressBytes.read(source);
        int fromPort = source.readUnsignedShort();
        int toPort = source.readUnsignedShort();
        return areKnown ? new Endpoints(from, fromPort, to, toPort) : null;
    }

    @Override
    public TypeSerializerSnapshot<FinishedFlow> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Records in a checkpoint which version of the serializer wrote it. */
    public static final class Snapshot implements TypeSerializerSnapshot<FinishedFlow> {

        /** Contains the reason; version 3, without ends, and version 4 are not read. */
        private static final int WITH_REASON = 5;

        /** Called by Flink on restore. */
        public Snapshot() {}

        @Override
        public int getCurrentVersion() {
            return WITH_REASON;
        }

        @Override
        public void writeSnapshot(DataOutputView out) {}

        @Override
        public void readSnapshot(int readVersion, DataInputView in, ClassLoader classLoader)
                throws IOException {
            if (readVersion != WITH_REASON) {
                throw new IOException(
                        "finished flows were written in version "
                                + readVersion
                                + ", but this release reads version "
                                + WITH_REASON
                                + " only: start without the state that holds them");
            }
        }

        @Override
        public TypeSerializer<FinishedFlow> restoreSerializer() {
            return INSTANCE;
        }

        @Override
        public TypeSerializerSchemaCompatibility<FinishedFlow> resolveSchemaCompatibility(
                TypeSerializerSnapshot<FinishedFlow> old) {
            return old instanceof Snapshot
                    ? TypeSerializerSchemaCompatibility.compatibleAsIs()
                    : TypeSerializerSchemaCompatibility.incompatible();
        }
    }
}
