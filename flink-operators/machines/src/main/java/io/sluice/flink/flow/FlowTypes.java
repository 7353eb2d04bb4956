/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/** Flink's types of what the operator emits. */
@Experimental
public final class FlowTypes {

    public static final TypeInformation<FinishedFlow> FINISHED_FLOW =
            Types.POJO(FinishedFlow.class);

    public static final TypeInformation<FlowAlert> FLOW_ALERT = Types.POJO(FlowAlert.class);

    private FlowTypes() {}
}
