/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.runtime.OpaqueTypeInfo;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Lets Flink find the serializer of {@link Incoming} by itself, wherever it extracts the type. */
public final class IncomingTypeInfoFactory extends TypeInfoFactory<Incoming> {
    static final TypeInformation<Incoming> TYPE =
            new OpaqueTypeInfo<>(Incoming.class, IncomingSerializer.INSTANCE);

    @Override
    public TypeInformation<Incoming> createTypeInfo(
            Type type, Map<String, TypeInformation<?>> genericParameters) {
        return TYPE;
    }
}
