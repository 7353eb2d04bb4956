/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FlowAlert;

/**
 * Flows and alerts as lines of files. A JSON line is the value on the job's topic, with the key of
 * a flow as its first field, {@code "flow"}.
 */
public final class FlowLines {
    private FlowLines() {}

    /** A flow that is over, as JSON. */
    public static String json(FinishedFlow flow) {
        return keyed(flow.flow(), FinishedFlowSchema.json(flow));
    }

    /** An alert about a packet, as JSON. */
    public static String json(FlowAlert alert) {
        return keyed(alert.flow(), FlowAlertSchema.json(alert));
    }

    private static String keyed(long flow, String value) {
        return "{\"flow\":\"" + FinishedFlowSchema.id(flow) + "\"," + value.substring(1);
    }
}
