/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.junit.jupiter.api.Test;

class IdsIdentityTest {

    private static final ClassLoader CLASSES = IdsIdentityTest.class.getClassLoader();

    public record Order(long number, String shop) {}

    private static IdHasher<?> hasher(TypeInformation<?> type) {
        return IdHasher.of(type, new SerializerConfigImpl());
    }

    private static IdsIdentity identity(TypeInformation<?> type) throws IOException {
        return IdsIdentity.ofHashed(CLASSES, hasher(type));
    }

    @Test
    void isTheSameBytesEveryTime() throws IOException {
        TypeInformation<?> type = Types.TUPLE(Types.LONG, TypeInformation.of(Order.class));
        byte[] bytes = identity(type).bytes();
        assertThat(identity(type).bytes()).isEqualTo(bytes);
        identity(type).check(bytes, "x");
    }

    @Test
    void everyIdOfAnOperatorIsChecked() throws IOException {
        byte[] bytes =
                IdsIdentity.ofHashed(CLASSES, hasher(Types.STRING), hasher(Types.LONG)).bytes();
        assertThatThrownBy(
                        () ->
                                IdsIdentity.ofHashed(
                                                CLASSES, hasher(Types.STRING), hasher(Types.STRING))
                                        .check(bytes, "x"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("x: the id was of type Long", "now of type String");
        assertThatThrownBy(() -> identity(Types.STRING).check(bytes, "x"))
                .isInstanceOf(CorruptFilterException.class);
    }

    @Test
    void damageIsNoticedBeforeFlinkReadsASnapshot() throws IOException {
        byte[] bytes = identity(Types.TUPLE(Types.LONG, Types.INT)).bytes();
        IdsIdentity other = identity(Types.TUPLE(Types.LONG, Types.LONG));
        for (int i = 0; i < bytes.length; i++) {
            corrupt(other, flipped(bytes, i, 0xff));
            corrupt(other, flipped(bytes, i, 1));
            corrupt(other, Arrays.copyOf(bytes, i));
        }
    }

    private static void corrupt(IdsIdentity identity, byte[] bytes) {
        assertThatThrownBy(() -> identity.check(bytes, "damaged"))
                .isInstanceOf(CorruptFilterException.class);
    }

    @Test
    void damageWithRepairedHashesIsRefusedByOneOfTwoExceptions() throws IOException {
        byte[] bytes = identity(Types.TUPLE(Types.LONG, Types.INT)).bytes();
        IdsIdentity same = identity(Types.TUPLE(Types.LONG, Types.INT));
        int refused = 0;
        for (int i = 0; i < bytes.length - Long.BYTES; i++) {
            for (int mask : new int[] {0xff, 1}) {
                byte[] damaged = repaired(flipped(bytes, i, mask));
                try {
                    same.check(damaged, "damaged");
                } catch (CorruptFilterException | IllegalStateException expected) {
                    refused++;
                }
            }
            byte[] cut = repaired(Arrays.copyOf(bytes, i + Long.BYTES));
            assertThatThrownBy(() -> same.check(cut, "damaged"))
                    .isInstanceOfAny(CorruptFilterException.class, IllegalStateException.class);
        }
        // The type's name is only for messages, and Flink cannot detect damage in some bytes
        // either.
        assertThat(refused).isGreaterThan(bytes.length);
    }

    private static byte[] flipped(byte[] bytes, int at, int mask) {
        byte[] flipped = bytes.clone();
        flipped[at] ^= (byte) mask;
        return flipped;
    }

    private static byte[] repaired(byte[] bytes) {
        int length = bytes.length - Long.BYTES;
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(length, Hashing.hash(bytes, 0, length));
        return bytes;
    }

    @Test
    void aClassThatIsGoneIsNamed() throws IOException {
        byte[] bytes = identity(TypeInformation.of(Order.class)).bytes();
        ClassLoader withoutOrders =
                new ClassLoader(CLASSES) {
                    @Override
                    protected Class<?> loadClass(String name, boolean resolve)
                            throws ClassNotFoundException {
                        if (name.equals(Order.class.getName())) {
                            throw new ClassNotFoundException(name);
                        }
                        return super.loadClass(name, resolve);
                    }
                };
        IdsIdentity tuples = IdsIdentity.ofHashed(withoutOrders, hasher(Types.TUPLE(Types.LONG)));
        assertThatThrownBy(() -> tuples.check(bytes, "x"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        "was of type " + TypeInformation.of(Order.class),
                        "now of type Java Tuple1<Long>",
                        "the class " + Order.class.getName() + " is not found");
    }

    @Test
    void aSerializerThatIsCompatibleAsItIsGoesOn() throws IOException {
        byte[] bytes = tags(1).bytes();
        assertThat(tags(2).bytes()).isNotEqualTo(bytes);
        tags(2).check(bytes, "x");
    }

    @Test
    void aSerializerThatWouldMigrateStateIsRefusedSinceHashesCannotMigrate() throws IOException {
        byte[] bytes = tags(1).bytes();
        assertThatThrownBy(() -> tags(TagSnapshot.MIGRATES).check(bytes, "x"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("their serializers write different bytes");
    }

    private static IdsIdentity tags(int revision) throws IOException {
        return identity(new OpaqueTypeInfo<>(Tag.class, new TagSerializer(revision)));
    }

    record Tag(String text) {}

    /** A user's serializer, in several revisions. */
    static final class TagSerializer extends TypeSerializerSingleton<Tag> {
        private final int revision;

        TagSerializer(int revision) {
            this.revision = revision;
        }

        @Override
        public boolean isImmutableType() {
            return true;
        }

        @Override
        public Tag createInstance() {
            return new Tag("");
        }

        @Override
        public Tag copy(Tag from) {
            return from;
        }

        @Override
        public Tag copy(Tag from, Tag reuse) {
            return from;
        }

        @Override
        public int getLength() {
            return -1;
        }

        @Override
        public void serialize(Tag tag, DataOutputView out) throws IOException {
            StringSerializer.INSTANCE.serialize(tag.text(), out);
        }

        @Override
        public Tag deserialize(DataInputView in) throws IOException {
            return new Tag(StringSerializer.INSTANCE.deserialize(in));
        }

        @Override
        public Tag deserialize(Tag reuse, DataInputView in) throws IOException {
            return deserialize(in);
        }

        @Override
        public void copy(DataInputView in, DataOutputView out) throws IOException {
            serialize(deserialize(in), out);
        }

        @Override
        public TypeSerializerSnapshot<Tag> snapshotConfiguration() {
            TagSnapshot snapshot = new TagSnapshot();
            snapshot.revision = revision;
            return snapshot;
        }
    }

    /** Every revision except one writes the same bytes. */
    public static final class TagSnapshot implements TypeSerializerSnapshot<Tag> {
        static final int MIGRATES = 9;

        private int revision;

        @Override
        public int getCurrentVersion() {
            return 1;
        }

        @Override
        public void writeSnapshot(DataOutputView out) throws IOException {
            out.writeInt(revision);
        }

        @Override
        public void readSnapshot(int version, DataInputView in, ClassLoader classes)
                throws IOException {
            revision = in.readInt();
        }

        @Override
        public TypeSerializer<Tag> restoreSerializer() {
            return new TagSerializer(revision);
        }

        @Override
        public TypeSerializerSchemaCompatibility<Tag> resolveSchemaCompatibility(
                TypeSerializerSnapshot<Tag> before) {
            return revision == MIGRATES
                    ? TypeSerializerSchemaCompatibility.compatibleAfterMigration()
                    : TypeSerializerSchemaCompatibility.compatibleAsIs();
        }
    }
}
