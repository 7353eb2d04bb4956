/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Flink's description of {@link PacketRecord}: an opaque value with a serializer of its own. */
public final class PacketRecordTypeInfo extends TypeInformation<PacketRecord> {
    /** The only one needed: it has no state. */
    public static final PacketRecordTypeInfo INSTANCE = new PacketRecordTypeInfo();

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<PacketRecord> getTypeClass() {
        return PacketRecord.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<PacketRecord> createSerializer(SerializerConfig config) {
        return PacketRecordSerializer.INSTANCE;
    }

    @Override
    public String toString() {
        return "PacketRecord";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PacketRecordTypeInfo;
    }

    @Override
    public int hashCode() {
        return PacketRecordTypeInfo.class.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof PacketRecordTypeInfo;
    }
}
