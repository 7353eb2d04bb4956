/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Lets Flink find {@link PacketRecordTypeInfo} by itself, wherever it extracts the type. */
public final class PacketRecordTypeInfoFactory extends TypeInfoFactory<PacketRecord> {
    @Override
    public TypeInformation<PacketRecord> createTypeInfo(
            Type type, Map<String, TypeInformation<?>> genericParameters) {
        return PacketRecordTypeInfo.INSTANCE;
    }
}
