/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.operator.Ids;
import io.sluice.bench.run.FirstOnly;
import io.sluice.bench.run.Progress;
import io.sluice.flink.dedup.Deduplicate;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;

/** The operators of a trial: ids, keyed, each once, counted. */
final class TrialPipeline {
    private TrialPipeline() {}

    static void build(StreamExecutionEnvironment env, Trial trial) {
        DataStream<Long> numbers =
                env.fromSource(new EndlessSequence(trial.records()), times(trial), "numbers")
                        .uid("numbers");
        Ids ids = Ids.ofAll(trial.records(), trial.parallelism());
        if (trial.ids() == Trial.IdKind.LONG) {
            build(env, trial, numbers.map(new Ids.OfLong(ids)).returns(Types.LONG), Types.LONG);
        } else {
            build(
                    env,
                    trial,
                    numbers.map(new Ids.OfString(ids)).returns(Types.STRING),
                    Types.STRING);
        }
    }

    /** Event time: each subtask of the source counts its records, a millisecond each. */
    private static WatermarkStrategy<Long> times(Trial trial) {
        if (trial.api() != Trial.Api.SQL_ROWTIME) {
            return WatermarkStrategy.noWatermarks();
        }
        long perSubtask = Math.max(1, trial.records() / trial.parallelism());
        return WatermarkStrategy.<Long>forMonotonousTimestamps()
                .withTimestampAssigner((number, none) -> number % perSubtask);
    }

    private static <K> void build(
            StreamExecutionEnvironment env,
            Trial trial,
            DataStream<K> ids,
            TypeInformation<K> type) {
        if (trial.api().isSql()) {
            end(sql(env, trial.api(), ids));
        } else if (trial.engine() == Engine.NOOP) {
            end(ids.keyBy(id -> id, type).map(id -> id, type).uid("no-op"));
        } else if (trial.engine() == Engine.ONE_LINE) {
            OneLine<K> filter = new OneLine<>(trial.records() / trial.parallelism());
            end(ids.keyBy(id -> id, type).filter(filter).uid("one-line"));
        } else if (trial.engine() == Engine.FOREVER) {
            end(forever(trial, ids, type));
        } else {
            end(
                    ids.keyBy(id -> id, type)
                            .filter(new FirstOnly<>(trial.engine().timeToLive()))
                            .uid("first-only"));
        }
    }

    private static <K> DataStream<K> forever(
            Trial trial, DataStream<K> ids, TypeInformation<K> type) {
        Engine engine = trial.engine();
        return Deduplicate.<K, K>by(id -> id)
                .idType(type)
                .uid("forever")
                .forever()
                .onDisk()
                .falsePositiveProbability(engine.falsePositiveProbability())
                .memory(MemorySize.ofMebiBytes(engine.managedMegabytes() / trial.parallelism()))
                .apply(ids);
    }

    private static <K> DataStream<?> sql(
            StreamExecutionEnvironment env, Trial.Api api, DataStream<K> ids) {
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        Schema.Builder schema = Schema.newBuilder().columnByExpression("id", "f0");
        if (api == Trial.Api.SQL_ROWTIME) {
            schema.columnByMetadata("at", DataTypes.TIMESTAMP_LTZ(3), "rowtime")
                    .watermark("at", "SOURCE_WATERMARK()");
        } else {
            schema.columnByExpression("at", "PROCTIME()");
        }
        tables.createTemporaryView("records", ids, schema.build());
        return switch (api) {
            case SQL_PTF -> {
                tables.executeSql("LOAD MODULE sluice");
                yield tables.toDataStream(
                        tables.sqlQuery(
                                "SELECT id FROM DEDUPLICATE(input => TABLE records PARTITION BY"
                                        + " id)"));
            }
            // A row for each value that is new.
            case SQL_COUNT_DISTINCT ->
                    tables.toChangelogStream(
                            tables.sqlQuery(
                                    "SELECT g, COUNT(DISTINCT id) FROM (SELECT id, MOD(id, 1000) AS"
                                            + " g FROM records) GROUP BY g"),
                            Schema.newBuilder().primaryKey("g").build(),
                            ChangelogMode.upsert());
            default ->
                    tables.toDataStream(
                            tables.sqlQuery(
                                    "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY id"
                                            + " ORDER BY `at`) AS n FROM records) WHERE n = 1"));
        };
    }

    private static <T> void end(DataStream<T> once) {
        once.transform("end", once.getType(), new End<>())
                .uid("end")
                .sinkTo(new DiscardingSink<>());
    }

    /**
     * Counts, and reports when everything has arrived: by the source's watermark or, where SQL
     * holds it back, by the first checkpoint after it.
     */
    private static final class End<T> extends AbstractStreamOperator<T>
            implements OneInputStreamOperator<T, T> {
        private transient long records;
        private transient boolean through;

        @Override
        public void processElement(StreamRecord<T> element) {
            records++;
        }

        @Override
        public void processWatermark(Watermark mark) throws Exception {
            super.processWatermark(mark);
            if (mark.getTimestamp() == EndlessSequence.THROUGH) {
                through();
            }
        }

        @Override
        public void snapshotState(StateSnapshotContext context) throws Exception {
            super.snapshotState(context);
            if (Progress.current().isThroughBefore(context.getCheckpointId())) {
                through();
            }
        }

        private void through() {
            if (!through) {
                through = true;
                Progress.current().ended(records);
            }
        }
    }
}
