/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/** Keep the first row, in Flink SQL, by one column or by two. */
final class SqlDedupJob {
    /** More than a group has values. */
    static final long GROUP = 1_000_000;

    private SqlDedupJob() {}

    /** Partitioned by the id as a number. */
    static void byNumber(StreamExecutionEnvironment env, String run) {
        build(env, run, "id");
    }

    /** Partitioned by a text and a number. */
    static void byTextAndNumber(StreamExecutionEnvironment env, String run) {
        build(env, run, "CONCAT('id-', CAST(id AS STRING)), MOD(id, 7)");
    }

    /** In event time, which is the number of the record: no record is ever late. */
    static void byRowTime(StreamExecutionEnvironment env, String run) {
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        DataStream<Tuple2<Long, Long>> records =
                env.fromSource(new GatedSource(run), WatermarkStrategy.noWatermarks(), "records")
                        .setParallelism(1)
                        .uid("records")
                        .map(number -> Tuple2.of(Ids.at(number), number))
                        .returns(Types.TUPLE(Types.LONG, Types.LONG))
                        .setParallelism(1)
                        .uid("ids")
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Tuple2<Long, Long>>forGenerator(
                                                context -> new EachRecord())
                                        .withTimestampAssigner((record, none) -> record.f1))
                        .setParallelism(1)
                        .uid("watermarks");
        tables.createTemporaryView(
                "records",
                records,
                Schema.newBuilder()
                        .columnByExpression("id", "f0")
                        .columnByMetadata("at", DataTypes.TIMESTAMP_LTZ(3), "rowtime")
                        .watermark("at", "SOURCE_WATERMARK()")
                        .build());
        keepFirst(tables, run, "id");
    }

    /** The time is that of the last record. */
    private static final class EachRecord implements WatermarkGenerator<Tuple2<Long, Long>> {
        @Override
        public void onEvent(Tuple2<Long, Long> record, long timestamp, WatermarkOutput output) {
            output.emitWatermark(new Watermark(timestamp));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    private static void build(StreamExecutionEnvironment env, String run, String key) {
        keepFirst(records(env, run), run, key);
    }

    private static StreamTableEnvironment records(StreamExecutionEnvironment env, String run) {
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        tables.createTemporaryView(
                "records",
                DedupJob.ids(env, run),
                Schema.newBuilder()
                        .columnByExpression("id", "f0")
                        .columnByExpression("at", "PROCTIME()")
                        .build());
        return tables;
    }

    /** {@code SELECT DISTINCT}, with a second column. */
    static void distinct(StreamExecutionEnvironment env, String run) {
        StreamTableEnvironment tables = records(env, run);
        passed(tables, run, "SELECT DISTINCT id, MOD(id, 7) FROM records");
    }

    /** Each value of each counter: the group, times {@link #GROUP}, and the number. */
    static void countDistinct(StreamExecutionEnvironment env, String run, String what) {
        StreamTableEnvironment tables = records(env, run);
        DataStream<Long> counts =
                tables.toChangelogStream(
                                tables.sqlQuery(
                                        "SELECT g, COUNT(DISTINCT "
                                                + what
                                                + ") FROM (SELECT id, CAST(MOD(MOD(id, 97) + 97,"
                                                + " 97) AS BIGINT) AS g FROM records) GROUP BY g"))
                        .filter(row -> row.getKind() != RowKind.UPDATE_BEFORE)
                        .map(row -> row.<Long>getFieldAs(0) * GROUP + row.<Long>getFieldAs(1))
                        .returns(Types.LONG)
                        .uid("counts");
        Ledger.keep(run, DedupJob.PASSED, counts);
    }

    private static void keepFirst(StreamTableEnvironment tables, String run, String key) {
        passed(
                tables,
                run,
                "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY "
                        + key
                        + " ORDER BY `at`) AS n FROM records) WHERE n = 1");
    }

    private static void passed(StreamTableEnvironment tables, String run, String query) {
        DataStream<Long> passed =
                tables.toChangelogStream(tables.sqlQuery(query))
                        .map(SqlDedupJob::onlyInserted)
                        .returns(Types.LONG)
                        .uid("unwrap");
        Ledger.keep(run, DedupJob.PASSED, passed);
    }

    /** The planner expects updates with mini-batches; keeping the first makes none. */
    private static Long onlyInserted(Row row) {
        if (row.getKind() != RowKind.INSERT) {
            throw new IllegalStateException("the first row was not kept: " + row);
        }
        return row.getFieldAs(0);
    }
}
