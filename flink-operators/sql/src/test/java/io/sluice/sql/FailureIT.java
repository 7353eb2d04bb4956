/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A task fails half way, and the job goes on from its last checkpoint: no row is lost or passes
 * twice.
 */
class FailureIT {

    private static final int RECORDS = 20_000;
    private static final int KEYS = 5_000;

    @RegisterExtension
    static final MiniClusterExtension FLINK =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    /** Whether the task of a run has failed. */
    private static final Map<String, AtomicBoolean> FAILED = new ConcurrentHashMap<>();

    @ParameterizedTest
    @EnumSource(Backend.class)
    void eachKeyPassesOnce(Backend backend) throws Exception {
        assertThat(
                        numbers(
                                backend,
                                "SELECT id FROM DEDUPLICATE(input => TABLE ids PARTITION BY id)"))
                .containsExactlyInAnyOrderElementsOf(range(0, KEYS));
    }

    /** Each key is counted four times, so its count is updated three times. */
    @ParameterizedTest
    @EnumSource(Backend.class)
    void eachKeyPassesOnceThoughItsRowIsUpdated(Backend backend) throws Exception {
        assertThat(
                        numbers(
                                backend,
                                "SELECT id FROM DEDUPLICATE(input => (SELECT id, COUNT(*) AS n FROM"
                                        + " ids GROUP BY id) PARTITION BY id)"))
                .containsExactlyInAnyOrderElementsOf(range(0, KEYS));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void eachKeyPassesOnceInEventTimeWithItsFirstRow(Backend backend) throws Exception {
        assertThat(
                        numbers(
                                backend,
                                "SELECT number FROM DEDUPLICATE_KEEP_FIRST(input => TABLE ids"
                                        + " PARTITION BY id, on_time => DESCRIPTOR(`at`))"))
                .containsExactlyInAnyOrderElementsOf(range(0, KEYS));
    }

    /** A key comes every 5 seconds, so each of its windows has two rows. */
    @ParameterizedTest
    @EnumSource(Backend.class)
    void eachWindowOfAKeyPassesOnce(Backend backend) throws Exception {
        List<Long> expected = range(0, KEYS);
        expected.addAll(range(2 * KEYS, 3 * KEYS));
        assertThat(
                        numbers(
                                backend,
                                "SELECT number FROM DEDUPLICATE_WINDOW(input => TABLE ids PARTITION"
                                        + " BY id, on_time => DESCRIPTOR(`at`), duration =>"
                                        + " INTERVAL '7.5' SECOND)"))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    /**
     * A key comes four times, from two sources, which takes its machine from one end to the other.
     */
    @ParameterizedTest
    @EnumSource(Backend.class)
    void eachMachineFinishesOnce(Backend backend) throws Exception {
        String machine =
                "{machine: m, initial: none, timeToLive: 1 d, states: {a: , b: , c: , d: {terminal:"
                        + " true}}, transitions: [{from: none, event: e0, to: a}, {from: a, event:"
                        + " e1, to: b}, {from: b, event: e2, to: c}, {from: c, event: e3, to: d}]}";
        assertThat(
                        numbers(
                                backend,
                                "SELECT id FROM STATE_MACHINE(input => (SELECT id, `at`, CASE WHEN"
                                        + " number < 5000 THEN 'e0' WHEN number < 10000 THEN 'e1'"
                                        + " WHEN number < 15000 THEN 'e2' ELSE 'e3' END AS e FROM"
                                        + " ids) PARTITION BY id ORDER BY `at`, event =>"
                                        + " DESCRIPTOR(e), machine => '"
                                        + machine
                                        + "', on_time => DESCRIPTOR(`at`)) WHERE kind ="
                                        + " 'FINISHED'"))
                .containsExactlyInAnyOrderElementsOf(range(0, KEYS));
    }

    /** What a query puts out of all numbers, of which each is its own time, though a task fails. */
    private static List<Long> numbers(Backend backend, String query) throws Exception {
        String run = UUID.randomUUID().toString();
        FAILED.put(run, new AtomicBoolean());
        Configuration configuration = backend.configuration();
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(100));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, 2);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        tables.executeSql("LOAD MODULE sluice");
        DataGeneratorSource<Long> numbers =
                new DataGeneratorSource<>(
                        number -> number,
                        RECORDS,
                        RateLimiterStrategy.perCheckpoint(RECORDS / 4),
                        Types.LONG);
        tables.createTemporaryView(
                "numbers",
                env.fromSource(
                                numbers,
                                WatermarkStrategy.<Long>forMonotonousTimestamps()
                                        .withTimestampAssigner((number, none) -> number),
                                "numbers")
                        .map(new FailsOnce(run)),
                Schema.newBuilder()
                        .column("f0", DataTypes.BIGINT())
                        .columnByMetadata("at", DataTypes.TIMESTAMP_LTZ(3), "rowtime")
                        .watermark("at", "SOURCE_WATERMARK()")
                        .build());
        tables.executeSql(
                "CREATE TEMPORARY VIEW ids AS SELECT CAST(MOD(f0, "
                        + KEYS
                        + ") AS BIGINT) AS id, f0 AS number, `at` FROM numbers");
        List<Long> passed = ids(tables, query);
        assertThat(FAILED.get(run)).isTrue();
        return passed;
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().collect(Collectors.toCollection(ArrayList::new));
    }

    /** Flink gives what a query puts out exactly once, whatever fails. */
    @SuppressWarnings("try") // closing a result may be interrupted, says its type
    private static List<Long> ids(StreamTableEnvironment tables, String query) throws Exception {
        List<Long> ids = new ArrayList<>();
        try (CloseableIterator<Row> rows = tables.executeSql(query).collect()) {
            rows.forEachRemaining(row -> ids.add(row.getFieldAs(0)));
        }
        return ids;
    }

    /** Fails with the first record after the first checkpoint, once. */
    private static final class FailsOnce extends RichMapFunction<Long, Long>
            implements CheckpointListener {

        private final String run;
        private transient boolean hasCheckpoint;

        FailsOnce(String run) {
            this.run = run;
        }

        @Override
        public Long map(Long number) {
            if (hasCheckpoint && FAILED.get(run).compareAndSet(false, true)) {
                throw new IllegalStateException("as the test wants");
            }
            return number;
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            hasCheckpoint = true;
        }
    }
}
