/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.filter.format.GoldenFile;
import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.ConnState;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.flow.FlowAlert;
import io.sluice.flink.flow.FlowTotals;
import io.sluice.job.flows.FinishedFlowSchema;
import io.sluice.job.flows.FlowAlertSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What is in the golden files: lines with the key and the value of a record each. */
public final class GoldenTopics {

    public static final String FLOWS = "v6-flows.txt";
    public static final String ALERTS = "v2-alerts.txt";

    public static final Address IPV4 = Address.ofIpv4(0xc0000207);
    public static final Address IPV6 = new Address(0x20010db8L << 32, 1);
    static final long MILLIS = 1_771_200_000_123L;

    private GoldenTopics() {}

    /** Every state, ended by a packet; for each other reason a flow without ends; with totals. */
    public static List<FinishedFlow> flows() {
        List<FinishedFlow> flows = new ArrayList<>();
        for (ConnState state : ConnState.values()) {
            Endpoints ends =
                    state.code() % 2 == 0
                            ? new Endpoints(IPV4, 65_535, IPV6, 443)
                            : new Endpoints(IPV6, 0, IPV4, 80, 4095, state.code() / 2);
            flows.add(FinishedFlow.of(state.code(), state, Reason.ENDED, MILLIS, ends));
        }
        flows.add(FinishedFlow.of(-1, ConnState.S0, Reason.TIMED_OUT, 0, null));
        flows.add(FinishedFlow.of(Long.MAX_VALUE, ConnState.S1, Reason.END_OF_INPUT, -1, null));
        FlowTotals totals =
                new FlowTotals(
                        new Endpoints(IPV6, 0, IPV4, 80, 4095, 0),
                        -5,
                        MILLIS,
                        Long.MAX_VALUE,
                        0,
                        1,
                        40);
        flows.add(FinishedFlow.of(7, ConnState.S1, Reason.TIMED_OUT, MILLIS, null, totals));
        return flows;
    }

    public static List<FlowAlert> flowAlerts() {
        List<FlowAlert> alerts = new ArrayList<>();
        for (FlowAlert.Kind kind : FlowAlert.Kind.values()) {
            alerts.add(FlowAlert.of(kind, 0xab00 + alerts.size(), 255, MILLIS));
        }
        return alerts;
    }

    public static List<String> flowLines() {
        FinishedFlowSchema schema = new FinishedFlowSchema("topic");
        return flows().stream().map(each -> line(schema.serialize(each, null, null))).toList();
    }

    public static List<String> alertLines() {
        FlowAlertSchema schema = new FlowAlertSchema("topic");
        return flowAlerts().stream().map(each -> line(schema.serialize(each, null, null))).toList();
    }

    private static String line(ProducerRecord<byte[], byte[]> record) {
        return new String(record.key(), US_ASCII) + " " + new String(record.value(), US_ASCII);
    }

    /** The lines of a golden file. */
    public static List<String> golden(String name) {
        return new String(GoldenFile.read("topics/" + name), US_ASCII).lines().toList();
    }

    /** Asserts that the lines of the file are still written. */
    public static void assertStillWritten(String name, List<String> lines) {
        byte[] bytes = (String.join("\n", lines) + "\n").getBytes(US_ASCII);
        GoldenFile.assertStillWritten("topics/" + name, bytes);
    }
}
