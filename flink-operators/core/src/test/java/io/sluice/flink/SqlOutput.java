/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;

/** An operator's output as SQL reads it: the table {@code output}. */
public final class SqlOutput {
    public final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment(
                    new Configuration().set(RestartStrategyOptions.RESTART_STRATEGY, "none"));

    private final StreamTableEnvironment tables;

    public SqlOutput() {
        env.setParallelism(1);
        tables = StreamTableEnvironment.create(env);
    }

    public void show(DataStream<?> stream) {
        tables.createTemporaryView("output", stream);
    }

    /** Shows {@code stream}, and asserts its columns: names and types. */
    public void columns(DataStream<?> stream, String... expected) {
        Table table = tables.fromDataStream(stream);
        assertThat(table.getResolvedSchema().getColumns())
                .extracting(column -> column.getName() + " " + column.getDataType())
                .containsExactly(expected);
        tables.dropTemporaryView("output");
        tables.createTemporaryView("output", table);
    }

    /** The results of a query, all as insertions. */
    public List<Row> rows(String query) throws Exception {
        List<Row> rows = new ArrayList<>();
        CloseableIterator<Row> results = tables.executeSql(query).collect();
        results.forEachRemaining(
                row -> {
                    Row copy = Row.copy(row);
                    copy.setKind(RowKind.INSERT);
                    rows.add(copy);
                });
        results.close();
        return rows;
    }

    /** Into a table, and out of it as the same object. */
    public <T> void roundTrip(TypeInformation<T> type, T value) throws Exception {
        Table table = tables.fromDataStream(env.fromData(type, value));
        DataStream<T> back = tables.toDataStream(table, DataTypes.of(type));
        assertThat(back.executeAndCollect(2)).containsExactly(value);
    }
}
