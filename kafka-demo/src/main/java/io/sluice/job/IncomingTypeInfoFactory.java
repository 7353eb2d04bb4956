/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Lets Flink find {@link IncomingTypeInfo} by itself, wherever it extracts the type. */
public final class IncomingTypeInfoFactory extends TypeInfoFactory<Incoming> {
    @Override
    public TypeInformation<Incoming> createTypeInfo(
            Type type, Map<String, TypeInformation<?>> genericParameters) {
        return IncomingTypeInfo.INSTANCE;
    }
}
