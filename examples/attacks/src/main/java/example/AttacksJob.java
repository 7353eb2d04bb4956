/* SPDX-License-Identifier: Apache-2.0 */
package example;

import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FlowStateMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** Finds SYN floods and scans in TCP flows. */
public final class AttacksJob {

    private AttacksJob() {}

    /** A SYN; Flink makes columns of its fields. */
    public record Syn(long flow, String source, String target, int port) {}

    /**
     * The alerts, with the columns that {@code attacks.sql} names.
     *
     * @param packets with timestamps and watermarks; those of a connection in their order
     */
    static Table alerts(StreamTableEnvironment tables, DataStream<Packet> packets)
            throws IOException {
        DataStream<FinishedFlow> flows =
                FlowStateMachine.of(new Packet.View()).uid("flows").apply(packets);
        DataStream<Syn> syns =
                packets.filter(Packet::isSyn)
                        .map(
                                syn ->
                                        new Syn(
                                                syn.flow(),
                                                syn.source(),
                                                syn.target(),
                                                syn.targetPort()))
                        .returns(Syn.class);
        tables.createTemporaryView("flows", flows, eventTime());
        tables.createTemporaryView("syns", syns, eventTime());
        for (String statement : script().split(";")) {
            if (!statement.contains("CREATE")) {
                return tables.sqlQuery(statement);
            }
            tables.executeSql(statement);
        }
        throw new IOException("attacks.sql has no query");
    }

    private static Schema eventTime() {
        return Schema.newBuilder()
                .columnByMetadata("ts", "TIMESTAMP_LTZ(3)", "rowtime", true)
                .watermark("ts", "SOURCE_WATERMARK()")
                .build();
    }

    private static String script() throws IOException {
        try (InputStream sql = AttacksJob.class.getResourceAsStream("/attacks.sql")) {
            return new String(sql.readAllBytes(), StandardCharsets.UTF_8)
                    .replaceAll("(?m)--.*$", "");
        }
    }

    /** The packets of a capture, in the order of their times. */
    static DataStream<Packet> read(StreamExecutionEnvironment env, String capture) {
        return env.fromData(capture)
                .flatMap(Packet::readAll)
                .returns(Packet.class)
                .setParallelism(1)
                .assignTimestampsAndWatermarks(
                        WatermarkStrategy.<Packet>forGenerator(context -> new EachPacket())
                                .withTimestampAssigner((packet, before) -> packet.millis()))
                .setParallelism(1);
    }

    /** Event time follows each packet: a capture is read faster than the wall clock runs. */
    private static final class EachPacket implements WatermarkGenerator<Packet> {
        @Override
        public void onEvent(Packet packet, long millis, WatermarkOutput output) {
            output.emitWatermark(new Watermark(millis - 1));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            // Between two packets no time passes.
        }
    }

    /** Put your own source and sink here; the argument is a capture. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        alerts(tables, read(env, args[0])).execute().print();
    }
}
