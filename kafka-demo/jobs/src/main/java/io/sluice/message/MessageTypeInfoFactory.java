/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import io.sluice.flink.runtime.OpaqueTypeInfo;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * Lets Flink find the serializer of {@link KafkaMessage} by itself, wherever it extracts the type.
 */
public final class MessageTypeInfoFactory extends TypeInfoFactory<KafkaMessage> {
    /** The type of messages. */
    public static final TypeInformation<KafkaMessage> TYPE =
            new OpaqueTypeInfo<>(KafkaMessage.class, MessageSerializer.INSTANCE);

    @Override
    public TypeInformation<KafkaMessage> createTypeInfo(
            Type type, Map<String, TypeInformation<?>> genericParameters) {
        return TYPE;
    }
}
