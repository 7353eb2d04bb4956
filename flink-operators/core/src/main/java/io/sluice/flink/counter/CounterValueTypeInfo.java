/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.runtime.ColumnsTypeInfo;
import java.util.List;
import java.util.Map;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Flink's type of {@link CounterValue}, with a column for each part and a compact serializer
 * instead of Kryo.
 *
 * @param <K> type of the counter's key
 */
@PublicEvolving
public final class CounterValueTypeInfo<K> extends ColumnsTypeInfo<CounterValue<K>> {

    private final TypeInformation<K> counterType;

    @SuppressWarnings("unchecked")
    public CounterValueTypeInfo(TypeInformation<K> counterType) {
        super(
                (Class<CounterValue<K>>) (Class<?>) CounterValue.class,
                List.of("counter", "value", "expectedUndercount", "timestamp"),
                List.of(
                        requireNonNull(counterType, "counterType"),
                        Types.LONG,
                        Types.DOUBLE,
                        Types.LONG));
        this.counterType = counterType;
    }

    @Override
    public Map<String, TypeInformation<?>> getGenericParameters() {
        return Map.of("K", counterType);
    }

    @Override
    public TypeSerializer<CounterValue<K>> createSerializer(SerializerConfig config) {
        return new CounterValueSerializer<>(counterType.createSerializer(config));
    }

    @Override
    public String toString() {
        return "CounterValue<" + counterType + ">";
    }
}
