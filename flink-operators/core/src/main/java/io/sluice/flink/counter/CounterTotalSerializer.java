/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Value (8 bytes) and expected undercount (8 bytes). */
final class CounterTotalSerializer extends TypeSerializerSingleton<CounterTotal> {

    static final CounterTotalSerializer INSTANCE = new CounterTotalSerializer();

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public CounterTotal createInstance() {
        return CounterTotal.ZERO;
    }

    @Override
    public CounterTotal copy(CounterTotal from) {
        return from;
    }

    @Override
    public CounterTotal copy(CounterTotal from, CounterTotal reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return Long.BYTES + Double.BYTES;
    }

    @Override
    public void serialize(CounterTotal total, DataOutputView target) throws IOException {
        target.writeLong(total.value());
        target.writeDouble(total.expectedUndercount());
    }

    @Override
    public CounterTotal deserialize(DataInputView source) throws IOException {
        return new CounterTotal(source.readLong(), source.readDouble());
    }

    @Override
    public CounterTotal deserialize(CounterTotal reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        target.write(source, getLength());
    }

    @Override
    public TypeSerializerSnapshot<CounterTotal> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Identifies the serializer by its name: it has no configuration. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<CounterTotal> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
