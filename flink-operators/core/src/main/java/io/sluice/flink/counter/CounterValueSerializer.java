/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The counter's key as its own serializer writes it, then value, expected undercount and timestamp,
 * 8 bytes each.
 *
 * @param <K> type of the counter's key
 */
@Internal
public final class CounterValueSerializer<K> extends TypeSerializer<CounterValue<K>> {

    private static final int NUMBERS_BYTES = 2 * Long.BYTES + Double.BYTES;

    private final TypeSerializer<K> counterSerializer;

    public CounterValueSerializer(TypeSerializer<K> counterSerializer) {
        this.counterSerializer = requireNonNull(counterSerializer, "counterSerializer");
    }

    @Override
    public boolean isImmutableType() {
        return counterSerializer.isImmutableType();
    }

    @Override
    public TypeSerializer<CounterValue<K>> duplicate() {
        return new CounterValueSerializer<>(counterSerializer.duplicate());
    }

    @Override
    public CounterValue<K> createInstance() {
        return new CounterValue<>(counterSerializer.createInstance(), 0, 0, 0);
    }

    @Override
    public CounterValue<K> copy(CounterValue<K> from) {
        if (isImmutableType()) {
            return from;
        }
        return new CounterValue<>(
                counterSerializer.copy(from.counter()),
                from.value(),
                from.expectedUndercount(),
                from.timestamp());
    }

    @Override
    public CounterValue<K> copy(CounterValue<K> from, CounterValue<K> reuse) {
        return copy(from);
    }

    @Override
    public int getLength() {
        int counter = counterSerializer.getLength();
        return counter < 0 ? -1 : counter + NUMBERS_BYTES;
    }

    @Override
    public void serialize(CounterValue<K> value, DataOutputView target) throws IOException {
        counterSerializer.serialize(value.counter(), target);
        target.writeLong(value.value());
        target.writeDouble(value.expectedUndercount());
        target.writeLong(value.timestamp());
    }

    @Override
    public CounterValue<K> deserialize(DataInputView source) throws IOException {
        return new CounterValue<>(
                counterSerializer.deserialize(source),
                source.readLong(),
                source.readDouble(),
                source.readLong());
    }

    @Override
    public CounterValue<K> deserialize(CounterValue<K> reuse, DataInputView source)
            throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        counterSerializer.copy(source, target);
        target.write(source, NUMBERS_BYTES);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CounterValueSerializer<?> that
                && counterSerializer.equals(that.counterSerializer);
    }

    @Override
    public int hashCode() {
        return 31 * counterSerializer.hashCode() + 1;
    }

    @Override
    public TypeSerializerSnapshot<CounterValue<K>> snapshotConfiguration() {
        return new Snapshot<>(this);
    }

    /**
     * What a savepoint keeps of the serializer: that of the key.
     *
     * @param <K> type of the counter's key
     */
    public static final class Snapshot<K>
            extends CompositeTypeSerializerSnapshot<CounterValue<K>, CounterValueSerializer<K>> {

        /** Version 1: the first. */
        private static final int VERSION = 1;

        /** Flink makes one and fills it, when it reads. */
        public Snapshot() {}

        Snapshot(CounterValueSerializer<K> serializer) {
            super(serializer);
        }

        @Override
        protected int getCurrentOuterSnapshotVersion() {
            return VERSION;
        }

        @Override
        protected TypeSerializer<?>[] getNestedSerializers(CounterValueSerializer<K> outer) {
            return new TypeSerializer<?>[] {outer.counterSerializer};
        }

        @Override
        @SuppressWarnings("unchecked")
        protected CounterValueSerializer<K> createOuterSerializerWithNestedSerializers(
                TypeSerializer<?>[] nested) {
            return new CounterValueSerializer<>((TypeSerializer<K>) nested[0]);
        }
    }
}
