/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import io.sluice.flink.flow.FinishedFlow;
import io.sluice.job.flows.FlowLines;
import io.sluice.job.flows.ZeekConn;

/** How flows are written as JSON. */
public enum FlowJson {
    /** As the value on the job's topic, with its key. */
    SLUICE {
        @Override
        String line(FinishedFlow flow) {
            return FlowLines.json(flow);
        }
    },

    /** As Zeek writes its {@code conn.log} as JSON. */
    ZEEK {
        @Override
        String line(FinishedFlow flow) {
            return ZeekConn.json(flow);
        }
    };

    abstract String line(FinishedFlow flow);
}
