/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Flink's type of {@link CounterValue}; its serializer is compact, and not Kryo.
 *
 * @param <K> type of the counter's key
 */
public final class CounterValueTypeInfo<K> extends TypeInformation<CounterValue<K>> {

    private static final int FIELDS = 4;

    private final TypeInformation<K> counterType;

    public CounterValueTypeInfo(TypeInformation<K> counterType) {
        this.counterType = requireNonNull(counterType, "counterType");
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
        return FIELDS;
    }

    @Override
    public int getTotalFields() {
        return FIELDS - 1 + counterType.getTotalFields();
    }

    @Override
    @SuppressWarnings("unchecked")
    public Class<CounterValue<K>> getTypeClass() {
        return (Class<CounterValue<K>>) (Class<?>) CounterValue.class;
    }

    @Override
    public Map<String, TypeInformation<?>> getGenericParameters() {
        return Map.of("K", counterType);
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<CounterValue<K>> createSerializer(SerializerConfig config) {
        return new CounterValueSerializer<>(counterType.createSerializer(config));
    }

    @Override
    public String toString() {
        return "CounterValue<" + counterType + ">";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CounterValueTypeInfo<?> that
                && counterType.equals(that.counterType);
    }

    @Override
    public int hashCode() {
        return 31 * counterType.hashCode() + FIELDS;
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof CounterValueTypeInfo;
    }
}
