/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.suite.Ledger;
import io.sluice.suite.SuiteRun;
import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A job gets the backend by the name of a stock one, breaks its filter once, and restarts. */
class RestartedJobTest {

    @AfterEach
    void endRun() {
        System.clearProperty(SuiteRun.PROPERTY);
    }

    @ParameterizedTest
    @CsvSource({"rocksdb, cascade-over-hashmap", "hashmap, cascade-over-rocksdb"})
    void aDeniedMarkIsKnownThoughTheJobRestartsAndSucceeds(String asked, String run)
            throws Exception {
        System.setProperty(SuiteRun.PROPERTY, run);
        long denied = Ledger.counts().denied();

        runJob(asked);

        assertThat(Ledger.counts().denied()).isEqualTo(denied + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void inTheStockRunThereIsNoFilterToBreak(String asked) throws Exception {
        long backends = Ledger.counts().backends();
        runJob(asked);
        assertThat(Ledger.counts().backends()).isEqualTo(backends);
    }

    private static void runJob(String backend) throws Exception {
        Configuration options = new Configuration();
        options.set(StateBackendOptions.STATE_BACKEND, backend);
        options.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        options.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        options.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ZERO);
        StreamExecutionEnvironment job =
                StreamExecutionEnvironment.createLocalEnvironment(1, options);
        job.fromData(1L, 2L, 1L)
                .keyBy(id -> id)
                .process(new Breaking())
                .sinkTo(new DiscardingSink<>());
        job.execute();
    }

    /** Loses the mark of each key in the first attempt. */
    private static final class Breaking extends KeyedProcessFunction<Long, Long, Long> {

        private transient ValueState<Boolean> seen;

        @Override
        public void open(OpenContext context) {
            seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Types.BOOLEAN));
        }

        @Override
        public void processElement(Long id, Context context, Collector<Long> out) throws Exception {
            if (seen.value() == null) {
                seen.update(true);
                out.collect(id);
            }
            if (getRuntimeContext().getTaskInfo().getAttemptNumber() == 0
                    && seen instanceof OracleValueState<?, ?, ?> oracle) {
                oracle.filter().clear();
            }
        }
    }
}
