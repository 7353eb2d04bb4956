/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FlowAlert;
import java.util.Locale;

/**
 * Flows and alerts as lines of files. A JSON line is the value on the job's topic, with the key of
 * a flow as its first field, {@code "flow"}.
 */
public final class FlowLines {
    /**
     * What precedes {@link #tsv} in a file: the header of Zeek's logs, so that {@code zeek-cut}
     * reads it. {@code end_ts} is when the flow ended, not when it began as in Zeek's {@code ts}.
     */
    public static final String TSV_HEADER =
            "#separator \\x09\n"
                + "#set_separator\t,\n"
                + "#empty_field\t(empty)\n"
                + "#unset_field\t-\n"
                + "#path\tconn\n"
                + "#fields\tend_ts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto"
                + "\tconn_state\treason\tcommunity_id\tvlan\tinner_vlan\n"
                + "#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tstring\tstring\tint"
                + "\tint\n";

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

    /** A flow that is over, with its values separated by tabs; {@code -} for what is not known. */
    public static String tsv(FinishedFlow flow) {
        Endpoints ends = flow.ends();
        return String.format(
                        Locale.ROOT,
                        "%d.%03d",
                        Math.floorDiv(flow.millis(), 1000L),
                        Math.floorMod(flow.millis(), 1000))
                + '\t'
                + FinishedFlowSchema.id(flow.flow())
                + '\t'
                + (ends == null
                        ? "-\t-\t-\t-"
                        : FinishedFlowSchema.text(ends.from())
                                + '\t'
                                + ends.fromPort()
                                + '\t'
                                + FinishedFlowSchema.text(ends.to())
                                + '\t'
                                + ends.toPort())
                + "\ttcp\t"
                + flow.state()
                + '\t'
                + FlowAlertSchema.name(flow.reason())
                + '\t'
                + (ends == null
                        ? "-\t-\t-"
                        : CommunityId.of(ends)
                                + '\t'
                                + vlan(ends.vlan())
                                + '\t'
                                + vlan(ends.innerVlan()));
    }

    private static String vlan(int vlan) {
        return vlan == Endpoints.NO_VLAN ? "-" : Integer.toString(vlan);
    }
}
