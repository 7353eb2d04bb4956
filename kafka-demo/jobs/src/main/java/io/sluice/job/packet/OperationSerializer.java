/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** An {@link Operation} between two Flink tasks: two longs. */
final class OperationSerializer extends TypeSerializerSingleton<Operation> {
    static final OperationSerializer INSTANCE = new OperationSerializer();

    private static final int BYTES = 2 * Long.BYTES;

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public Operation createInstance() {
        return new Operation();
    }

    @Override
    public Operation copy(Operation from) {
        return new Operation().set(from);
    }

    @Override
    public Operation copy(Operation from, Operation reuse) {
        return reuse.set(from);
    }

    @Override
    public int getLength() {
        return BYTES;
    }

    @Override
    public void serialize(Operation operation, DataOutputView target) throws IOException {
        target.writeLong(operation.counter());
        target.writeLong(operation.operationId());
    }

    @Override
    public Operation deserialize(DataInputView source) throws IOException {
        return deserialize(new Operation(), source);
    }

    @Override
    public Operation deserialize(Operation reuse, DataInputView source) throws IOException {
        return reuse.set(source.readLong(), source.readLong());
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        target.write(source, BYTES);
    }

    @Override
    public TypeSerializerSnapshot<Operation> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Records in a checkpoint which serializer wrote it; it has only version and class name. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Operation> {
        /** Called by Flink on restore. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
