/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** A table environment with the module and one table, {@code records}. */
final class Tables {

    /** One key is null now and then; the numbers order the records of a key. */
    private static final TypeInformation<Row> RECORD =
            Types.ROW_NAMED(
                    new String[] {"id", "seq", "text", "millis"},
                    Types.STRING,
                    Types.LONG,
                    Types.STRING,
                    Types.LONG);

    private final StreamExecutionEnvironment environment;
    private final StreamTableEnvironment tables;

    private Tables(StreamExecutionEnvironment environment) {
        this.environment = environment;
        this.tables = StreamTableEnvironment.create(environment);
    }

    static Tables inStreamingMode() {
        return with(new Configuration());
    }

    /** With the session's configuration. */
    static Tables with(Configuration configuration) {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(1);
        Tables made = new Tables(env);
        made.tables.executeSql("LOAD MODULE " + SluiceModule.NAME);
        return made;
    }

    /**
     * Makes the table {@code records} of these in their order.
     *
     * @param records id, sequence number, text, and milliseconds of event time
     */
    Tables withRecords(List<Row> records) {
        return withRecords(records, Duration.ZERO);
    }

    Tables withRecords(List<Row> records, Duration outOfOrder) {
        return withRecords(environment.fromData(records, RECORD), outOfOrder);
    }

    Tables withRecords(DataStream<Row> records, Duration outOfOrder) {
        tables.createTemporaryView(
                "records",
                records.assignTimestampsAndWatermarks(
                        WatermarkStrategy.<Row>forBoundedOutOfOrderness(outOfOrder)
                                .withTimestampAssigner(
                                        (record, none) -> record.<Long>getFieldAs("millis"))),
                Schema.newBuilder()
                        .column("id", DataTypes.STRING())
                        .column("seq", DataTypes.BIGINT())
                        .column("text", DataTypes.STRING())
                        .column("millis", DataTypes.BIGINT())
                        .columnByMetadata("at", DataTypes.TIMESTAMP_LTZ(3), "rowtime")
                        .columnByExpression("proc", "PROCTIME()")
                        .watermark("at", "SOURCE_WATERMARK()")
                        .build());
        return this;
    }

    StreamExecutionEnvironment environment() {
        return environment;
    }

    StreamTableEnvironment tables() {
        return tables;
    }

    /** What a query puts out until its input ends, with the kinds of the changes. */
    @SuppressWarnings("try") // closing a result may be interrupted, says its type
    List<Row> changes(String query) throws Exception {
        List<Row> rows = new ArrayList<>();
        try (CloseableIterator<Row> result = tables.executeSql(query).collect()) {
            result.forEachRemaining(rows::add);
        }
        return rows;
    }
}
