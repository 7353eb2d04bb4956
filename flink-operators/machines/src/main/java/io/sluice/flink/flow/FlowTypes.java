/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.runtime.ColumnsTypeInfo;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/** Flink's types of what the operator emits, with serializers of their own. */
@Experimental
public final class FlowTypes {

    public static final TypeInformation<FinishedFlow> FINISHED_FLOW =
            ColumnsTypeInfo.of(FinishedFlow.class, FinishedFlowSerializer.INSTANCE)
                    .column("flow", Types.LONG)
                    .column("state", Types.STRING)
                    .column("reason", Types.STRING)
                    .column("millis", Types.LONG)
                    .column("originator", Types.STRING)
                    .column("originatorPort", Types.INT)
                    .column("responder", Types.STRING)
                    .column("responderPort", Types.INT)
                    .build();

    public static final TypeInformation<FlowAlert> FLOW_ALERT =
            ColumnsTypeInfo.of(FlowAlert.class, FlowAlertSerializer.INSTANCE)
                    .column("kind", Types.STRING)
                    .column("flow", Types.LONG)
                    .column("flags", Types.INT)
                    .column("millis", Types.LONG)
                    .build();

    private FlowTypes() {}

    /** Lets Flink find the type wherever it looks for one. */
    public static final class OfFinishedFlow extends TypeInfoFactory<FinishedFlow> {
        @Override
        public TypeInformation<FinishedFlow> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> genericParameters) {
            return FINISHED_FLOW;
        }
    }

    /** Lets Flink find the type wherever it looks for one. */
    public static final class OfFlowAlert extends TypeInfoFactory<FlowAlert> {
        @Override
        public TypeInformation<FlowAlert> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> genericParameters) {
            return FLOW_ALERT;
        }
    }
}
