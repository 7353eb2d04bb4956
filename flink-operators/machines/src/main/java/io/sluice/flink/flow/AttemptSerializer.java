/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.runtime.ImmutableSerializer;
import java.io.IOException;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Milliseconds (8 bytes), source (16), target (16), port (2), code of the kind (1); big-endian. */
@Internal
public final class AttemptSerializer extends ImmutableSerializer<Attempt> {

    public static final AttemptSerializer INSTANCE = new AttemptSerializer();

    /** Bytes of each attempt. */
    public static final int BYTES = Long.BYTES + 2 * Address.BYTES + Short.BYTES + 1;

    private AttemptSerializer() {
        super(BYTES);
    }

    @Override
    public Attempt createInstance() {
        Address none = new Address(0, 0);
        return new Attempt(Attempt.Kind.STARTED, none, none, 0, 0);
    }

    @Override
    public void serialize(Attempt attempt, DataOutputView target) throws IOException {
        target.writeLong(attempt.millis());
        AddressBytes.write(attempt.source(), target);
        AddressBytes.write(attempt.target(), target);
        target.writeShort(attempt.port());
        target.writeByte(attempt.kind().code());
    }

    @Override
    public Attempt deserialize(DataInputView in) throws IOException {
        long millis = in.readLong();
        Address source = AddressBytes.read(in);
        Address target = AddressBytes.read(in);
        int port = in.readUnsignedShort();
        int code = in.readByte();
        try {
            return new Attempt(Attempt.Kind.ofCode(code), source, target, port, millis);
        } catch (IllegalArgumentException e) {
            throw unknown("attempt", e);
        }
    }

    @Override
    public TypeSerializerSnapshot<Attempt> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The serializer has no configuration: its name says everything. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Attempt> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
