/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.runtime.ColumnsTypeInfo;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Flink's types of what the operator emits: records, and attempts with a serializer of their own,
 * as a flood has one for each packet.
 */
@Experimental
public final class FlowTypes {

    public static final TypeInformation<FinishedFlow> FINISHED_FLOW =
            Types.POJO(FinishedFlow.class);

    public static final TypeInformation<FlowAlert> FLOW_ALERT = Types.POJO(FlowAlert.class);

    public static final TypeInformation<Attempt> ATTEMPT =
            ColumnsTypeInfo.of(Attempt.class, AttemptSerializer.INSTANCE)
                    .column("kind", Types.STRING)
                    .column("source", Types.STRING)
                    .column("target", Types.STRING)
                    .column("port", Types.INT)
                    .column("millis", Types.LONG)
                    .build();

    private FlowTypes() {}

    /** Lets Flink find the type wherever it looks for one. */
    public static final class OfAttempt extends TypeInfoFactory<Attempt> {
        @Override
        public TypeInformation<Attempt> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> genericParameters) {
            return ATTEMPT;
        }
    }
}
