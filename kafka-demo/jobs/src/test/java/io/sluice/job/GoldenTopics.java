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
import io.sluice.job.flows.FinishedFlowSchema;
import io.sluice.job.flows.FlowAlertSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Wrote the golden records of topics, once: a released format is never written again, so existing
 * files are left alone. A new version gets new names. Each line has the key and the value of a
 * record. Argument: the folder.
 */
public final class GoldenTopics {

    public static final String FLOWS = "v3-flows.txt";
    public static final String ALERTS = "v2-alerts.txt";

    public static final Address IPV4 = Address.ofIpv4(0xc0000207);
    public static final Address IPV6 = new Address(0x20010db8L << 32, 1);
    static final long MILLIS = 1_771_200_000_123L;

    private GoldenTopics() {}

    /** Every state, ended by a packet; and for each other reason a flow without ends. */
    public static List<FinishedFlow> flows() {
        List<FinishedFlow> flows = new ArrayList<>();
        for (ConnState state : ConnState.values()) {
            Endpoints ends =
                    state.code() % 2 == 0
                            ? new Endpoints(IPV4, 65_535, IPV6, 443)
                            : new Endpoints(IPV6, 0, IPV4, 80);
            flows.add(new FinishedFlow(state.code(), state, Reason.ENDED, MILLIS, ends));
        }
        flows.add(new FinishedFlow(-1, ConnState.S0, Reason.TIMED_OUT, 0, null));
        flows.add(new FinishedFlow(Long.MAX_VALUE, ConnState.S1, Reason.END_OF_INPUT, -1, null));
        return flows;
    }

    public static List<FlowAlert> flowAlerts() {
        List<FlowAlert> alerts = new ArrayList<>();
        for (FlowAlert.Kind kind : FlowAlert.Kind.values()) {
            alerts.add(new FlowAlert(kind, 0xab00 + kind.code(), 255, MILLIS));
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

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        write(folder.resolve(FLOWS), flowLines());
        write(folder.resolve(ALERTS), alertLines());
    }

    private static void write(Path file, List<String> lines) throws IOException {
        GoldenFile.write(file, (String.join("\n", lines) + "\n").getBytes(US_ASCII));
    }
}
