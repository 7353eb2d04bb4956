/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Flink's description of {@link Incoming}: an opaque value with a serializer of its own. */
final class IncomingTypeInfo extends TypeInformation<Incoming> {
    static final IncomingTypeInfo INSTANCE = new IncomingTypeInfo();

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
    public Class<Incoming> getTypeClass() {
        return Incoming.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<Incoming> createSerializer(SerializerConfig config) {
        return IncomingSerializer.INSTANCE;
    }

    @Override
    public String toString() {
        return "Incoming";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IncomingTypeInfo;
    }

    @Override
    public int hashCode() {
        return IncomingTypeInfo.class.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof IncomingTypeInfo;
    }
}
