/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Flink's description of an opaque value that has its own serializer and no visible parts. Two
 * descriptions are equal if their classes are.
 *
 * @param <T> type of the values
 */
@Internal
public final class OpaqueTypeInfo<T> extends TypeInformation<T> {
    private final Class<T> type;
    private final TypeSerializer<T> serializer;

    /**
     * @param serializer shared by all callers, so it keeps no state
     */
    public OpaqueTypeInfo(Class<T> type, TypeSerializer<T> serializer) {
        this.type = requireNonNull(type, "type");
        this.serializer = requireNonNull(serializer, "serializer");
    }

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
    public Class<T> getTypeClass() {
        return type;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<T> createSerializer(SerializerConfig config) {
        return serializer;
    }

    @Override
    public String toString() {
        return type.getSimpleName();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpaqueTypeInfo<?> that && type.equals(that.type);
    }

    @Override
    public int hashCode() {
        return type.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof OpaqueTypeInfo;
    }
}
