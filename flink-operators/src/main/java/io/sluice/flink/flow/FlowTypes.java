/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.OpaqueTypeInfo;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Flink's types of what the operator emits, with serializers of their own. */
public final class FlowTypes {

    public static final TypeInformation<FinishedFlow> FINISHED_FLOW =
            new OpaqueTypeInfo<>(FinishedFlow.class, FinishedFlowSerializer.INSTANCE);

    public static final TypeInformation<FlowAlert> FLOW_ALERT =
            new OpaqueTypeInfo<>(FlowAlert.class, FlowAlertSerializer.INSTANCE);

    public static final TypeInformation<Attempt> ATTEMPT =
            new OpaqueTypeInfo<>(Attempt.class, AttemptSerializer.INSTANCE);

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

    /** Lets Flink find the type wherever it looks for one. */
    public static final class OfAttempt extends TypeInfoFactory<Attempt> {
        @Override
        public TypeInformation<Attempt> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> genericParameters) {
            return ATTEMPT;
        }
    }
}
