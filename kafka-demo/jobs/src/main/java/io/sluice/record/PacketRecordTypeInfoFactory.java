/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import io.sluice.flink.runtime.OpaqueTypeInfo;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * Lets Flink find the serializer of {@link PacketRecord} by itself, wherever it extracts the type.
 */
public final class PacketRecordTypeInfoFactory extends TypeInfoFactory<PacketRecord> {
    private static final TypeInformation<PacketRecord> TYPE =
            new OpaqueTypeInfo<>(PacketRecord.class, PacketRecordSerializer.INSTANCE);

    @Override
    public TypeInformation<PacketRecord> createTypeInfo(
            Type type, Map<String, TypeInformation<?>> genericParameters) {
        return TYPE;
    }
}
