/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.counter.CounterTotal;
import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.state.api.OperatorIdentifier;
import org.apache.flink.state.api.SavepointReader;
import org.apache.flink.state.api.functions.KeyedStateReaderFunction;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counters in a savepoint, as Flink's State Processor API reads them. */
class StateProcessorIT {
    private static final int RECORDS = 4_000;
    private static final int COUNTERS = 97;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    @TempDir private Path savepoints;

    /** As the documentation has it. */
    private static final class Totals<K>
            extends KeyedStateReaderFunction<K, Tuple2<K, CounterTotal>> {
        private transient ValueState<CounterTotal> totals;

        @Override
        public void open(OpenContext context) {
            totals = getRuntimeContext().getState(CounterTotal.descriptor());
        }

        @Override
        public void readKey(K counter, Context context, Collector<Tuple2<K, CounterTotal>> out)
                throws Exception {
            out.collect(Tuple2.of(counter, totals.value()));
        }
    }

    /** Each operation comes twice. */
    private static long operationAt(long index) {
        return index / 2;
    }

    private static Map<String, Long> exact() {
        Map<String, Long> exact = new HashMap<>();
        Set<Long> operations = new TreeSet<>();
        for (long index = 0; index < RECORDS; index++) {
            long operation = operationAt(index);
            if (operations.add(operation)) {
                exact.merge(Long.toString(operation % COUNTERS), operation % 5, Long::sum);
            }
        }
        return exact;
    }

    private static DataStream<Long> operations(StreamExecutionEnvironment env) {
        return env.fromSource(
                        new DataGeneratorSource<>(
                                StateProcessorIT::operationAt,
                                RECORDS + 1,
                                parallelism -> new Gate<>(),
                                Types.LONG),
                        WatermarkStrategy.<Long>forMonotonousTimestamps()
                                .withTimestampAssigner((operation, timestamp) -> operation),
                        "operations")
                .uid("operations")
                .setParallelism(1);
    }

    private static <K> IdempotentCounters<Long, K> counters(IdempotentCounters<Long, K> counters) {
        return counters.operation((Long operation) -> operation)
                .delta(operation -> operation % 5)
                .uid("views")
                .within(Duration.ofHours(1))
                .falsePositiveProbability(1e-9)
                .expecting(1000)
                // Longer than the test, so a checkpoint has to bring what waits.
                .emitEvery(Duration.ofHours(1));
    }

    private <K> String savepoint(
            MiniCluster cluster,
            String backend,
            SavepointFormatType format,
            IdempotentCounters<Long, K> counters)
            throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(2);
        Gate.openFor(RECORDS);
        DataStream<CounterValue<K>> values = counters.apply(operations(env));
        values.sinkTo(new DiscardingSink<>());
        JobClient running = env.executeAsync();
        Gate.awaitClosed();
        CommonTestUtils.waitForAllTaskRunning(cluster, running.getJobID(), false);
        return running.stopWithSavepoint(false, savepoints.toString(), format)
                .get(60, TimeUnit.SECONDS);
    }

    private static <K> Map<String, Long> read(
            String savepoint, StateBackend backend, TypeInformation<K> keys) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Tuple2<K, CounterTotal>> totals =
                SavepointReader.read(env, savepoint, backend)
                        .readKeyedState(
                                OperatorIdentifier.forUid("views"),
                                new Totals<K>(),
                                keys,
                                Types.TUPLE(keys, Types.POJO(CounterTotal.class)));
        Map<String, Long> read = new HashMap<>();
        for (Tuple2<K, CounterTotal> row : totals.executeAndCollect(RECORDS)) {
            assertThat(row.f1.expectedUndercount()).isBetween(0.0, 1e-3);
            assertThat(read.put(row.f0.toString(), row.f1.value())).isNull();
        }
        return read;
    }

    private static StateBackend reading(String backend, SavepointFormatType format) {
        return backend.equals("rocksdb") && format == SavepointFormatType.NATIVE
                ? new EmbeddedRocksDBStateBackend()
                : new HashMapStateBackend();
    }

    @ParameterizedTest
    @CsvSource({"hashmap, CANONICAL", "hashmap, NATIVE", "rocksdb, CANONICAL", "rocksdb, NATIVE"})
    void totalsInASavepointAreThoseOfTheJob(
            String backend, SavepointFormatType format, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String savepoint =
                savepoint(
                        cluster,
                        backend,
                        format,
                        counters(
                                IdempotentCounters.of(
                                        (Long operation) -> Long.toString(operation % COUNTERS))));

        assertThat(read(savepoint, reading(backend, format), Types.STRING)).isEqualTo(exact());
    }

    @ParameterizedTest
    @CsvSource({"hashmap, CANONICAL", "rocksdb, NATIVE"})
    void keysThatAreNumbersAreLongsAndCountersMayExpire(
            String backend, SavepointFormatType format, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        String savepoint =
                savepoint(
                        cluster,
                        backend,
                        format,
                        counters(
                                        IdempotentCounters.of(
                                                (Long operation) -> (int) (operation % COUNTERS)))
                                .expireAfter(Duration.ofDays(1)));

        assertThat(read(savepoint, reading(backend, format), Types.LONG)).isEqualTo(exact());
    }
}
