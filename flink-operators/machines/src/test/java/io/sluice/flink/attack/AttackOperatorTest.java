/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static io.sluice.flink.attack.Attempts.ME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.flink.Backends;
import io.sluice.flink.DamagedState;
import io.sluice.flink.flow.Attempt;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the operator reports about attacks, across failures and rescaling. */
class AttackOperatorTest {

    private static final int MAX_PARALLELISM = 100;
    private static final long MILLIS = 60_000;
    private static final Duration WINDOW = Duration.ofSeconds(2);

    private AttackKind kind;
    private int parties = 100_000;
    private Subtasks<Long, Tally, AttackAlert> stream;

    @BeforeEach
    void openForFloods() {
        open(AttackKind.SYN_FLOOD);
    }

    private void open(AttackKind of) {
        kind = of;
        stream = new Subtasks<>(Tally::key, Types.LONG, MAX_PARALLELISM, Backends.HASHMAP);
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private AttackSettings settings() {
        return new AttackSettings(kind, WINDOW, 12, 0.25, Duration.ofSeconds(5), parties, false);
    }

    private OneInputStreamOperator<Tally, AttackAlert> operator() {
        return new AttackOperator(settings());
    }

    private List<AttackAlert> add(Attempt attempt) throws Exception {
        return stream.process(Attempts.tally(kind, attempt), attempt.millis());
    }

    private List<AttackAlert> process(List<Attempt> attempts) throws Exception {
        List<AttackAlert> alerts = new ArrayList<>();
        for (Attempt each : attempts) {
            assertThat(add(each)).isEmpty();
            alerts.addAll(stream.advance(each.millis() - 1));
        }
        return alerts;
    }

    @ParameterizedTest
    @EnumSource
    void saysTheSameOnceWhereverItFailsAndHoweverItIsRescaled(AttackKind of) throws Exception {
        open(of);
        List<Attempt> attempts = Attempts.bursts(Seeds.random(), 120, MILLIS);
        stream.start(1, this::operator);
        List<AttackAlert> expected = process(attempts);
        expected.addAll(stream.advance(3 * MILLIS));
        assertThat(stream.gaugeSum(AttackMetrics.FORGOTTEN) + stream.gaugeSum(AttackMetrics.LATE))
                .isZero();
        stream.close();
        stream.setState(null);

        List<AttackAlert> reported = new ArrayList<>();
        int[] parallelisms = {3, 2, 5, 4, 1, 7, 100, 33};
        int part = attempts.size() / parallelisms.length + 1;
        for (int i = 0; i < parallelisms.length; i++) {
            int from = Math.min(attempts.size(), i * part);
            int to = Math.min(attempts.size(), from + part);
            stream.start(parallelisms[i], this::operator);
            reported.addAll(process(attempts.subList(from, to)));
            stream.snapshot();
            // The failure undoes what comes after the snapshot.
            process(attempts.subList(to, Math.min(attempts.size(), to + 50)));
        }
        stream.start(2, this::operator);
        reported.addAll(stream.advance(3 * MILLIS));
        assertThat(reported).containsExactlyInAnyOrderElementsOf(expected).hasSizeGreaterThan(10);
        assertThat(reported.stream().filter(AttackAlert::raised))
                .hasSize(reported.size() / 2)
                .doesNotHaveDuplicates();
        assertThat(stream.gaugeSum(AttackMetrics.RAISED)).isEqualTo(reported.size() / 2);
        assertThat(stream.gaugeSum(AttackMetrics.CLEARED)).isEqualTo(reported.size() / 2);
        assertThat(stream.gaugeSum(AttackMetrics.TALLIES)).isZero();
        assertThat(stream.gaugeSum(AttackMetrics.ATTEMPTS))
                .isEqualTo(
                        attempts.stream()
                                .filter(each -> each.kind() == Attempt.Kind.STARTED)
                                .count());
    }

    @Test
    void alertsComeBeforeTheWatermarkAndAreNotLateForIt() throws Exception {
        stream.start(1, this::operator);
        for (Attempt each : Attempts.flood(ME, 80, 12, 0)) {
            add(each);
        }
        var harness = stream.harnesses().get(0);
        harness.getOutput().clear();
        harness.processWatermark(5_000);
        assertThat(harness.getOutput()).hasSize(2);
        assertThat(harness.extractOutputStreamRecords().get(0).getTimestamp()).isEqualTo(999);
    }

    @Test
    void aKeyGroupThatIsNewTakesNoAttemptsOfClosedPanes() throws Exception {
        stream.start(1, this::operator);
        stream.advance(5_000);
        for (Attempt each : Attempts.flood(ME, 80, 12, 100)) {
            add(each);
        }
        assertThat(stream.advance(50_000)).isEmpty();
        assertThat(stream.gaugeSum(AttackMetrics.LATE)).isEqualTo(12);
    }

    @Test
    void aDrainedJobReportsWhatIsAnAttackAndGoesOnWithoutSayingItAgain() throws Exception {
        stream.start(2, this::operator);
        List<Attempt> flood = Attempts.flood(ME, 80, 24, 500);
        for (Attempt each : flood.subList(0, 12)) {
            add(each);
        }
        assertThat(stream.advance(Long.MAX_VALUE)).hasSize(1);
        assertThat(stream.endInput()).isEmpty();
        stream.snapshot();
        stream.start(3, this::operator);
        for (Attempt each : flood.subList(12, 24)) {
            add(each);
        }
        assertThat(stream.advance(5_000)).isEmpty();
        List<AttackAlert> cleared = stream.advance(50_000);
        assertThat(cleared).hasSize(1);
        assertThat(cleared.get(0).raised()).isFalse();
    }

    @Test
    void stateOfAnotherKindAndDamagedStateAreRefused() throws Exception {
        stream.start(1, this::operator);
        process(Attempts.flood(ME, 80, 100, 0));
        stream.snapshot();
        var state = stream.state();
        kind = AttackKind.SCAN;
        assertThatThrownBy(() -> stream.start(1, this::operator))
                .hasStackTraceContaining("kind=SYN_FLOOD")
                .hasStackTraceContaining("kind=SCAN");
        kind = AttackKind.SYN_FLOOD;
        int size = DamagedState.rawKeyedStateSize(state);
        for (int damage = 1; damage <= 10; damage++) {
            stream.setState(DamagedState.flipped(state, (int) (size * (damage / 11.0))));
            assertThatThrownBy(() -> stream.start(1, this::operator))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("key group");
        }
    }

    @Test
    void optionsComeFromTheConfigurationToo() {
        var env = StreamExecutionEnvironment.getExecutionEnvironment();
        var attempts = env.fromData(Attempts.flood(ME, 80, 1, 0));
        assertThatThrownBy(() -> AttackAlerts.create().apply(attempts))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("uid is required");
        Configuration configuration = new Configuration();
        configuration.set(AttackOptions.COMPLETED_SHARE, 2.0);
        assertThatThrownBy(() -> AttackAlerts.create().configure(configuration).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("completedShare");
        var unused = AttackAlerts.create().uid("attacks").apply(attempts);
        assertThat(env.getStreamGraph().getStreamNodes())
                .extracting(node -> node.getTransformationUID())
                .contains("attacks-syn-flood", "attacks-scan");
    }
}
