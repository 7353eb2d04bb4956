/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshotSerializationUtil;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.InstantiationUtil;

/** What holds for every row that an operator emits, or keeps in Flink's state. */
public final class RowContract {

    private RowContract() {}

    /**
     * Asserts that Flink serializes the rows as records, without Kryo, that they come back as they
     * were, and that a savepoint restores the serializer.
     */
    @SafeVarargs
    public static <T> void check(TypeInformation<T> type, T... rows) throws Exception {
        assertThat(InstantiationUtil.clone(type)).isEqualTo(type).hasSameHashCodeAs(type);
        SerializerConfigImpl config = new SerializerConfigImpl();
        config.setGenericTypes(false);
        TypeSerializer<T> serializer = type.createSerializer(config);
        assertThat(serializer).isInstanceOf(PojoSerializer.class);
        TypeSerializer<T> restored = restored(serializer);
        for (T row : rows) {
            byte[] bytes = write(serializer, row);
            assertThat(read(serializer, bytes)).isEqualTo(row);
            assertThat(read(restored, bytes)).isEqualTo(row);
            assertThat(serializer.copy(row)).isEqualTo(row);
            DataOutputSerializer copy = new DataOutputSerializer(64);
            serializer.copy(new DataInputDeserializer(bytes), copy);
            assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes);
        }
    }

    /** What a savepoint makes of a serializer. */
    private static <T> TypeSerializer<T> restored(TypeSerializer<T> serializer) throws IOException {
        TypeSerializerSnapshot<T> snapshot =
                readSnapshot(writeSnapshot(serializer), RowContract.class.getClassLoader());
        assertThat(
                        serializer
                                .snapshotConfiguration()
                                .resolveSchemaCompatibility(snapshot)
                                .isCompatibleAsIs())
                .isTrue();
        return snapshot.restoreSerializer();
    }

    static byte[] writeSnapshot(TypeSerializer<?> serializer) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        TypeSerializerSnapshotSerializationUtil.writeSerializerSnapshot(
                out, serializer.snapshotConfiguration());
        return out.getCopyOfBuffer();
    }

    static <T> TypeSerializerSnapshot<T> readSnapshot(byte[] snapshot, ClassLoader classes)
            throws IOException {
        return TypeSerializerSnapshotSerializationUtil.readSerializerSnapshot(
                new DataInputDeserializer(snapshot), classes);
    }

    static <T> byte[] write(TypeSerializer<T> serializer, T row) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(row, out);
        return out.getCopyOfBuffer();
    }

    static <T> T read(TypeSerializer<T> serializer, byte[] bytes) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        T row = serializer.deserialize(in);
        assertThat(in.available()).isZero();
        return row;
    }
}
