/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import io.sluice.flink.runtime.OpaqueTypeInfo;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Lets Flink find the serializer of {@link Message} by itself, wherever it extracts the type. */
public final class MessageTypeInfoFactory extends TypeInfoFactory<Message> {
    /** The type of messages. */
    public static final TypeInformation<Message> TYPE =
            new OpaqueTypeInfo<>(Message.class, MessageSerializer.INSTANCE);

    @Override
    public TypeInformation<Message> createTypeInfo(
            Type type, Map<String, TypeInformation<?>> genericParameters) {
        return TYPE;
    }
}
