/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FlowTotals;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * A flow as a line of Zeek's {@code conn.log}: with its fields, in their order (base/protocols/conn
 * and the policies for Community ID and VLANs), as its ASCII writer writes them, and as it writes
 * JSON ({@code LogAscii::use_json}). What is not known is {@code -}, and left out of JSON: the
 * service, the bytes of payload and of IP, which network is local, what the capture missed, the
 * history of the flags and the tunnels; without totals also everything that needs them.
 *
 * <p>{@code uid} is the flow's id, the same for all connections between the same ends.
 */
public final class ZeekConn {

    private static final String UNKNOWN = "-";

    private static final List<Field> FIELDS =
            List.of(
                    new Field("ts", "time", line -> line.total(FlowTotals::firstMillis, true)),
                    new Field("uid", "string", line -> FinishedFlowSchema.id(line.flow.flow())),
                    new Field("id.orig_h", "addr", line -> line.end(ends -> text(ends))),
                    new Field("id.orig_p", "port", line -> line.end(Endpoints::fromPort)),
                    new Field("id.resp_h", "addr", line -> line.end(ends -> text(ends.reversed()))),
                    new Field("id.resp_p", "port", line -> line.end(Endpoints::toPort)),
                    new Field("proto", "enum", line -> "tcp"),
                    new Field("service", "string", Line::never),
                    new Field(
                            "duration",
                            "interval",
                            line -> line.total(all -> all.lastMillis() - all.firstMillis(), true)),
                    new Field("orig_bytes", "count", Line::never),
                    new Field("resp_bytes", "count", Line::never),
                    new Field("conn_state", "string", line -> line.flow.state()),
                    new Field("local_orig", "bool", Line::never),
                    new Field("local_resp", "bool", Line::never),
                    new Field("missed_bytes", "count", Line::never),
                    new Field("history", "string", Line::never),
                    new Field(
                            "orig_pkts",
                            "count",
                            line -> line.total(FlowTotals::originatorPackets, false)),
                    new Field("orig_ip_bytes", "count", Line::never),
                    new Field(
                            "resp_pkts",
                            "count",
                            line -> line.total(FlowTotals::responderPackets, false)),
                    new Field("resp_ip_bytes", "count", Line::never),
                    new Field("tunnel_parents", "set[string]", Line::never),
                    new Field("community_id", "string", line -> line.end(CommunityId::of)),
                    new Field("vlan", "int", line -> line.end(ends -> vlan(ends.vlan()))),
                    new Field(
                            "inner_vlan", "int", line -> line.end(ends -> vlan(ends.innerVlan()))));

    /** What precedes {@link #tsv} in a file, so that {@code zeek-cut} reads it. */
    public static final String HEADER =
            "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t"
                    + UNKNOWN
                    + "\n#path\tconn\n#fields\t"
                    + FIELDS.stream().map(Field::name).collect(Collectors.joining("\t"))
                    + "\n#types\t"
                    + FIELDS.stream().map(Field::type).collect(Collectors.joining("\t"))
                    + "\n";

    private ZeekConn() {}

    /**
     * A field of the log.
     *
     * @param value of a line: a text, or a number; null if it is not known
     */
    private record Field(String name, String type, Function<Line, Object> value) {}

    /** A flow with what its fields are made of. */
    private record Line(FinishedFlow flow, @Nullable Endpoints ends, @Nullable FlowTotals totals) {

        /** The value of fields that are not known of any flow. */
        @Nullable
        Object never() {
            return null;
        }

        @Nullable
        Object end(Function<Endpoints, Object> value) {
            return ends == null ? null : value.apply(ends);
        }

        @Nullable
        Object total(Function<FlowTotals, Long> value, boolean isMillis) {
            if (totals == null) {
                return null;
            }
            // Zeek writes seconds with six places, of which the last three are not known here.
            long number = value.apply(totals);
            return isMillis ? BigDecimal.valueOf(number, 3).setScale(6) : number;
        }
    }

    private static Line line(FinishedFlow flow) {
        return new Line(flow, flow.ends(), flow.totals());
    }

    private static String text(Endpoints ends) {
        return FinishedFlowSchema.text(ends.from());
    }

    private static @Nullable Integer vlan(int vlan) {
        return vlan == Endpoints.NO_VLAN ? null : vlan;
    }

    /** A flow with its values separated by tabs. */
    public static String tsv(FinishedFlow flow) {
        Line line = line(flow);
        return FIELDS.stream()
                .map(field -> field.value.apply(line))
                .map(value -> value == null ? UNKNOWN : value.toString())
                .collect(Collectors.joining("\t"));
    }

    /** A flow as an object of JSON; no text in it needs an escape. */
    public static String json(FinishedFlow flow) {
        Line line = line(flow);
        StringBuilder json = new StringBuilder(400);
        for (Field field : FIELDS) {
            Object value = field.value.apply(line);
            if (value != null) {
                json.append(json.isEmpty() ? '{' : ',')
                        .append('"')
                        .append(field.name)
                        .append("\":");
                json.append(value instanceof Number ? value : "\"" + value + '"');
            }
        }
        return json.append('}').toString();
    }
}
