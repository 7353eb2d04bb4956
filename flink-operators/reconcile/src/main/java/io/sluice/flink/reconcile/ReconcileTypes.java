/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.runtime.ColumnsTypeInfo;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/** Flink's types of what the operator emits besides repairs, with columns for SQL. */
@Experimental
public final class ReconcileTypes {

    public static final TypeInformation<ReplicaMessage> REPLICA_MESSAGE =
            ColumnsTypeInfo.of(ReplicaMessage.class, ReplicaMessageSerializer.INSTANCE)
                    .column("kind", Types.STRING)
                    .column("group", Types.INT)
                    .column("window", Types.LONG)
                    .column("bytes", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
                    .build();

    public static final TypeInformation<WindowReport> WINDOW_REPORT =
            ColumnsTypeInfo.of(WindowReport.class, WindowReportSerializer.INSTANCE)
                    .column("window", Types.LONG)
                    .column("group", Types.INT)
                    .column("outcome", Types.STRING)
                    .column("elementsBefore", Types.LONG)
                    .column("elementsAfter", Types.LONG)
                    .column("copiesBefore", Types.LONG)
                    .column("copiesAfter", Types.LONG)
                    .column("rounds", Types.INT)
                    .column("filtered", Types.LONG)
                    .column("compared", Types.LONG)
                    .column("sent", Types.LONG)
                    .column("repairedFirst", Types.LONG)
                    .column("repairedSecond", Types.LONG)
                    .column("repairedLater", Types.LONG)
                    .column("digestBytes", Types.LONG)
                    .column("filterBytes", Types.LONG)
                    .column("repairBytes", Types.LONG)
                    .column("naiveBytes", Types.LONG)
                    .column("retries", Types.LONG)
                    .column("waitedMillis", Types.LONG)
                    .build();

    private ReconcileTypes() {}

    /** Lets Flink find the type wherever it looks for one. */
    public static final class OfReplicaMessage extends TypeInfoFactory<ReplicaMessage> {
        @Override
        public TypeInformation<ReplicaMessage> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> genericParameters) {
            return REPLICA_MESSAGE;
        }
    }

    /** Lets Flink find the type wherever it looks for one. */
    public static final class OfWindowReport extends TypeInfoFactory<WindowReport> {
        @Override
        public TypeInformation<WindowReport> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> genericParameters) {
            return WINDOW_REPORT;
        }
    }
}
