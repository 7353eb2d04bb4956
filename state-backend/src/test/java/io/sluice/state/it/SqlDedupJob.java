/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/** Keep the first row, in Flink SQL, by one column or by two. */
final class SqlDedupJob {
    private SqlDedupJob() {}

    /** Partitioned by the id as a number. */
    static void byNumber(StreamExecutionEnvironment env, String run) {
        build(env, run, "id");
    }

    /** Partitioned by a text and a number. */
    static void byTextAndNumber(StreamExecutionEnvironment env, String run) {
        build(env, run, "CONCAT('id-', CAST(id AS STRING)), MOD(id, 7)");
    }

    private static void build(StreamExecutionEnvironment env, String run, String key) {
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        tables.createTemporaryView(
                "records",
                DedupJob.ids(env, run),
                Schema.newBuilder()
                        .columnByExpression("id", "f0")
                        .columnByExpression("at", "PROCTIME()")
                        .build());
        Table first =
                tables.sqlQuery(
                        "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY "
                                + key
                                + " ORDER BY `at`) AS n FROM records) WHERE n = 1");
        DataStream<Long> passed =
                tables.toChangelogStream(first)
                        .map(SqlDedupJob::onlyInserted)
                        .returns(Types.LONG)
                        .uid("unwrap");
        Ledger.keep(run, DedupJob.PASSED, passed);
    }

    /** The planner expects updates where there are mini-batches; keeping the first makes none. */
    private static Long onlyInserted(Row row) {
        if (row.getKind() != RowKind.INSERT) {
            throw new IllegalStateException("the first row was not kept: " + row);
        }
        return row.getFieldAs(0);
    }
}
