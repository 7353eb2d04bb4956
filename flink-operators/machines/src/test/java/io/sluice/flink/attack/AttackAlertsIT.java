/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.flink.flow.Attempt;
import io.sluice.flink.flow.FlowTypes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pipelines over bounded input: what is reported in either execution mode. */
class AttackAlertsIT {

    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final int THRESHOLD = 12;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final Queue<AttackAlert> REPORTED = new ConcurrentLinkedQueue<>();

    private static final class Keep implements MapFunction<AttackAlert, AttackAlert> {
        @Override
        public AttackAlert map(AttackAlert alert) {
            REPORTED.add(alert);
            return alert;
        }
    }

    @BeforeEach
    void forgetWhatWasReported() {
        REPORTED.clear();
    }

    private static List<Attempt> attempts() {
        List<Attempt> attempts = new ArrayList<>(Attempts.bursts(Seeds.random(), 150, 60_000));
        attempts.addAll(Attempts.scan(Attempts.ME, 20, 10_000));
        attempts.addAll(Attempts.flood(Attempts.ME, 99, 20, 20_000));
        // The same again, long after.
        attempts.addAll(Attempts.flood(Attempts.ME, 99, 30, 50_000));
        attempts.sort((a, b) -> Long.compare(a.millis(), b.millis()));
        return attempts;
    }

    private static void run(Configuration configuration, List<Attempt> attempts) throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(2);
        AttackAlerts.create()
                .uid("attacks")
                .floods(THRESHOLD, WINDOW)
                .scans(THRESHOLD, WINDOW)
                .quiet(QUIET)
                .apply(
                        env.fromData(FlowTypes.ATTEMPT, attempts.toArray(Attempt[]::new))
                                .assignTimestampsAndWatermarks(
                                        WatermarkStrategy.<Attempt>forMonotonousTimestamps()
                                                .withTimestampAssigner(
                                                        (each, old) -> each.millis())))
                .map(new Keep())
                .sinkTo(new DiscardingSink<>());
        env.execute();
    }

    private static Configuration mode(RuntimeExecutionMode mode) {
        return new Configuration().set(ExecutionOptions.RUNTIME_MODE, mode);
    }

    private static List<AttackAlert> expected(List<Attempt> attempts) {
        List<AttackAlert> alerts = new ArrayList<>();
        for (AttackKind kind : AttackKind.values()) {
            alerts.addAll(
                    new PlainWatch(
                                    new AttackSettings(
                                            kind, WINDOW, THRESHOLD, 0.25, QUIET, 1_000, false))
                            .alerts(attempts, 200_000));
        }
        return alerts;
    }

    private static boolean same(AttackAlert one, AttackAlert other) {
        return one.raised() == other.raised()
                && one.kind() == other.kind()
                && one.address().equals(other.address())
                && one.port() == other.port()
                && one.attempts() == other.attempts()
                && one.completed() == other.completed()
                && one.refused() == other.refused()
                && one.firstMillis() == other.firstMillis()
                && one.millis() == other.millis();
    }

    @Test
    void batchReportsEveryAttackWithItsEndAndNumbers() throws Exception {
        List<Attempt> attempts = attempts();
        run(mode(RuntimeExecutionMode.BATCH), attempts);
        assertThat(REPORTED)
                .usingElementComparator((a, b) -> same(a, b) ? 0 : 1)
                .containsExactlyInAnyOrderElementsOf(expected(attempts))
                .hasSizeGreaterThan(40);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE + 1, Long.MAX_VALUE - 20})
    void batchReportsAttacksNearTheEndsOfTimeToo(long from) throws Exception {
        run(mode(RuntimeExecutionMode.BATCH), Attempts.flood(Attempts.ME, 99, 20, from));
        assertThat(REPORTED).extracting(AttackAlert::raised).containsExactlyInAnyOrder(true, false);
        assertThat(REPORTED).extracting(AttackAlert::attempts).containsOnly(20L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBoundedStreamReportsEveryPartyThatAttacked(boolean batchWithoutSorting) throws Exception {
        List<Attempt> attempts = attempts();
        Configuration configuration = mode(RuntimeExecutionMode.STREAMING);
        if (batchWithoutSorting) {
            configuration = mode(RuntimeExecutionMode.BATCH);
            configuration.set(ExecutionOptions.USE_BATCH_STATE_BACKEND, false);
            configuration.set(ExecutionOptions.SORT_INPUTS, false);
        }
        run(configuration, attempts);
        assertThat(
                        REPORTED.stream()
                                .filter(AttackAlert::raised)
                                .map(AttackAlertsIT::party)
                                .distinct())
                .containsExactlyInAnyOrderElementsOf(
                        expected(attempts).stream().map(AttackAlertsIT::party).distinct().toList());
    }

    private static String party(AttackAlert alert) {
        return alert.kind() + " " + alert.address() + " " + alert.port();
    }
}
