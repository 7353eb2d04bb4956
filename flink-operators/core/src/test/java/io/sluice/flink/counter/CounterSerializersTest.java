/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshotSerializationUtil;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class CounterSerializersTest {

    private static final CounterValue<String> VALUE =
            new CounterValue<>("page", -3, 0.25, 1_700_000_000_000L);

    private final TypeSerializer<CounterValue<String>> values =
            new CounterValueTypeInfo<>(Types.STRING).createSerializer(new SerializerConfigImpl());

    private static <T> byte[] write(TypeSerializer<T> serializer, T value) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(value, out);
        return out.getCopyOfBuffer();
    }

    @Test
    void valuesComeBack() throws Exception {
        byte[] bytes = write(values, VALUE);
        assertThat(bytes).hasSize(1 + 4 + 24);
        assertThat(values.deserialize(new DataInputDeserializer(bytes))).isEqualTo(VALUE);
        assertThat(values.copy(VALUE)).isEqualTo(VALUE);

        DataOutputSerializer copy = new DataOutputSerializer(64);
        values.copy(new DataInputDeserializer(bytes), copy);
        assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes);
    }

    @Test
    void lengthIsKnownIfTheKeysIs() {
        assertThat(values.getLength()).isEqualTo(-1);
        assertThat(
                        new CounterValueTypeInfo<>(Types.LONG)
                                .createSerializer(new SerializerConfigImpl())
                                .getLength())
                .isEqualTo(32);
    }

    @Test
    void totalsComeBack() throws Exception {
        CounterTotal total = new CounterTotal(1L << 60, 1e-9);
        byte[] bytes = write(CounterTotalSerializer.INSTANCE, total);
        assertThat(bytes).hasSize(16);
        assertThat(CounterTotalSerializer.INSTANCE.deserialize(new DataInputDeserializer(bytes)))
                .isEqualTo(total);
    }

    @Test
    void aSavepointRestoresTheSerializers() throws Exception {
        assertThat(restored(values)).isEqualTo(values);
        assertThat(restored(CounterTotalSerializer.INSTANCE))
                .isEqualTo(CounterTotalSerializer.INSTANCE);
    }

    private static <T> TypeSerializer<T> restored(TypeSerializer<T> serializer) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        TypeSerializerSnapshotSerializationUtil.writeSerializerSnapshot(
                out, serializer.snapshotConfiguration());
        TypeSerializerSnapshot<T> snapshot =
                TypeSerializerSnapshotSerializationUtil.readSerializerSnapshot(
                        new DataInputDeserializer(out.getCopyOfBuffer()),
                        CounterSerializersTest.class.getClassLoader());
        assertThat(
                        serializer
                                .snapshotConfiguration()
                                .resolveSchemaCompatibility(snapshot)
                                .isCompatibleAsIs())
                .isTrue();
        return snapshot.restoreSerializer();
    }

    @Test
    void typeInformationIsSerializableAndComparable() throws Exception {
        CounterValueTypeInfo<String> type = new CounterValueTypeInfo<>(Types.STRING);
        assertThat(InstantiationUtil.clone(type)).isEqualTo(type).hasSameHashCodeAs(type);
        assertThat(type).isNotEqualTo(new CounterValueTypeInfo<>(Types.LONG));
    }
}
