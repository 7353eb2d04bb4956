/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import java.io.Serializable;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.OutputTag;

/** Types and tags of what {@link ReconcileOperator} emits. */
final class ReconcileOutputs {

    private ReconcileOutputs() {}

    /**
     * The side outputs.
     *
     * @param late records whose window was closed
     * @param elements null if finished windows are not wanted
     */
    record Tags<T, K>(
            OutputTag<ReplicaMessage> messages,
            OutputTag<WindowReport> reports,
            OutputTag<T> late,
            @Nullable OutputTag<WindowElement<K>> elements)
            implements Serializable {}

    static <T, K> Tags<T, K> tags(
            TypeInformation<T> records, TypeInformation<K> ids, boolean withElements) {
        return new Tags<>(
                new OutputTag<>("messages", Types.POJO(ReplicaMessage.class)),
                new OutputTag<>("reports", Types.POJO(WindowReport.class)),
                new OutputTag<>("late", records),
                withElements ? new OutputTag<>("elements", windowElement(ids)) : null);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static <K> TypeInformation<Repair<K>> repair(TypeInformation<K> ids) {
        return (TypeInformation)
                Types.POJO(
                        Repair.class,
                        Map.of(
                                "window",
                                Types.LONG,
                                "element",
                                ids,
                                "before",
                                Types.LONG,
                                "after",
                                Types.LONG));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <K> TypeInformation<WindowElement<K>> windowElement(TypeInformation<K> ids) {
        return (TypeInformation)
                Types.POJO(
                        WindowElement.class,
                        Map.of("window", Types.LONG, "element", ids, "copies", Types.LONG));
    }
}
