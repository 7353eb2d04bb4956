/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Flow (8 bytes), milliseconds (8), code of the state (1), 1 if it timed out (1); big-endian. Then,
 * since the second version, 1 if the ends are known (1), and both addresses (16 each) and ports (2
 * each), which are 0 if not.
 */
public final class FinishedFlowSerializer extends ImmutableSerializer<FinishedFlow> {

    public static final FinishedFlowSerializer INSTANCE = new FinishedFlowSerializer(true);

    /** Bytes of each, in the second version. */
    public static final int BYTES = 2 * Long.BYTES + 3 + 2 * Address.BYTES + 2 * Short.BYTES;

    private static final int BYTES_WITHOUT_ENDS = 2 * Long.BYTES + 2;
    private static final Address NONE = new Address(0, 0);
    private static final Endpoints NO_ENDS = new Endpoints(NONE, 0, NONE, 0);

    private final boolean withEnds;

    private FinishedFlowSerializer(boolean withEnds) {
        super(withEnds ? BYTES : BYTES_WITHOUT_ENDS);
        this.withEnds = withEnds;
    }

    @Override
    public FinishedFlow createInstance() {
        return new FinishedFlow(0, ConnState.OTH, false, 0, null);
    }

    @Override
    public void serialize(FinishedFlow finished, DataOutputView target) throws IOException {
        target.writeLong(finished.flow());
        target.writeLong(finished.millis());
        target.writeByte(finished.state().code());
        target.writeBoolean(finished.timedOut());
        if (withEnds) {
            Endpoints ends = finished.ends() == null ? NO_ENDS : finished.ends();
            target.writeBoolean(finished.ends() != null);
            write(ends.from(), target);
            write(ends.to(), target);
            target.writeShort(ends.fromPort());
            target.writeShort(ends.toPort());
        }
    }

    @Override
    public FinishedFlow deserialize(DataInputView source) throws IOException {
        long flow = source.readLong();
        long millis = source.readLong();
        int code = source.readByte();
        boolean timedOut = source.readBoolean();
        Endpoints ends = withEnds ? readEnds(source) : null;
        try {
            return new FinishedFlow(flow, ConnState.ofCode(code), timedOut, millis, ends);
        } catch (IllegalArgumentException e) {
            throw unknown("finished flow", e);
        }
    }

    @Nullable
    private static Endpoints readEnds(DataInputView source) throws IOException {
        boolean areKnown = source.readBoolean();
        Address from = readAddress(source);
        Address to = readAddress(source);
        int fromPort = source.readUnsignedShort();
        int toPort = source.readUnsignedShort();
        return areKnown ? new Endpoints(from, fromPort, to, toPort) : null;
    }

    @Override
    public TypeSerializerSnapshot<FinishedFlow> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Says in a checkpoint which version of the serializer wrote. */
    public static final class Snapshot implements TypeSerializerSnapshot<FinishedFlow> {

        /** The first one, without ends; the number is that of Flink's simple snapshots. */
        private static final int WITHOUT_ENDS = 3;

        /** Added the ends. */
        private static final int WITH_ENDS = 4;

        private int version = WITH_ENDS;

        /** Called by Flink on restore. */
        public Snapshot() {}

        @Override
        public int getCurrentVersion() {
            return WITH_ENDS;
        }

        @Override
        public void writeSnapshot(DataOutputView out) {}

        @Override
        public void readSnapshot(int readVersion, DataInputView in, ClassLoader classLoader)
                throws IOException {
            if (readVersion != WITHOUT_ENDS && readVersion != WITH_ENDS) {
                throw new IOException(
                        "finished flows were written in version "
                                + readVersion
                                + ", but this release reads up to "
                                + WITH_ENDS);
            }
            version = readVersion;
        }

        @Override
        public TypeSerializer<FinishedFlow> restoreSerializer() {
            return version == WITH_ENDS ? INSTANCE : new FinishedFlowSerializer(false);
        }

        @Override
        public TypeSerializerSchemaCompatibility<FinishedFlow> resolveSchemaCompatibility(
                TypeSerializerSnapshot<FinishedFlow> old) {
            if (!(old instanceof Snapshot written)) {
                return TypeSerializerSchemaCompatibility.incompatible();
            }
            return written.version == WITH_ENDS
                    ? TypeSerializerSchemaCompatibility.compatibleAsIs()
                    : TypeSerializerSchemaCompatibility.compatibleAfterMigration();
        }
    }
}
