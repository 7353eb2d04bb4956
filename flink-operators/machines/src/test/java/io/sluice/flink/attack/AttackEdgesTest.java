/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static io.sluice.flink.attack.Attempts.ME;
import static io.sluice.flink.attack.Attempts.address;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.flink.Backends;
import io.sluice.flink.flow.Attempt;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the operator says at the edges: wild clocks, drains, many key groups, little memory. */
class AttackEdgesTest {

    private static final long TEN_YEARS = Duration.ofDays(3650).toMillis();

    private AttackKind kind = AttackKind.SYN_FLOOD;
    private int parties = 100_000;
    private Subtasks<Long, Tally, AttackAlert> stream;

    /** Panes of a second. */
    private AttackSettings settings() {
        return new AttackSettings(
                kind, Duration.ofSeconds(2), 12, 0.25, Duration.ofSeconds(5), parties, false);
    }

    private void start(int maxParallelism) throws Exception {
        stream = new Subtasks<>(Tally::key, Types.LONG, maxParallelism, Backends.HASHMAP);
        restart(1);
    }

    private void restart(int parallelism) throws Exception {
        stream.start(parallelism, () -> new AttackOperator(settings()));
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private void add(Attempt attempt) throws Exception {
        assertThat(stream.process(Attempts.tally(kind, attempt), attempt.millis())).isEmpty();
    }

    private void floods(int number, int attempts, long fromMillis) throws Exception {
        for (int flood = 0; flood < number; flood++) {
            for (Attempt each : Attempts.flood(address(flood), 80, attempts, fromMillis)) {
                add(each);
            }
        }
    }

    @Test
    void aWatermarkThatJumpedOnceIsForgottenByARestart() throws Exception {
        start(100);
        floods(20, 5, 0);
        assertThat(stream.advance(TEN_YEARS)).isEmpty();
        floods(20, 12, 1_000);
        stream.snapshot();
        assertThat(stream.gaugeSum(AttackMetrics.LATE)).isEqualTo(240);
        restart(2);
        stream.advance(5_000);
        floods(20, 12, 6_000);
        assertThat(stream.advance(10_000)).hasSize(20).allMatch(AttackAlert::raised);
        assertThat(stream.gaugeSum(AttackMetrics.LATE)).isEqualTo(240);
        assertThat(stream.advance(60_000)).hasSize(20).noneMatch(AttackAlert::raised);
    }

    @Test
    void attemptsBeforeTheFirstWatermarkAfterAJumpCountToo() throws Exception {
        start(100);
        floods(20, 5, 0);
        stream.advance(TEN_YEARS);
        stream.snapshot();
        restart(2);
        floods(20, 12, 6_000);
        assertThat(stream.advance(5_000)).isEmpty();
        assertThat(stream.advance(10_000)).hasSize(20);
    }

    @Test
    void aClockThatGoesOnAfterARestartLeavesOutWhatIsLate() throws Exception {
        start(1);
        floods(1, 12, 5_000);
        assertThat(stream.advance(9_999)).hasSize(1);
        stream.snapshot();
        restart(1);
        floods(20, 12, 3_000);
        assertThat(stream.advance(10_000)).isEmpty();
        assertThat(stream.gaugeSum(AttackMetrics.LATE)).isEqualTo(240);
        assertThat(stream.gaugeSum(AttackMetrics.TALLIES)).isZero();
        assertThat(stream.advance(30_000)).extracting(AttackAlert::attempts).containsExactly(12L);
    }

    @Test
    void aPaneThatIsClosedOnceMoreAfterARestartSaysNothingTwice() throws Exception {
        start(1);
        // Together they are not an attack, because of the completed share; the second pane alone
        // would be one.
        for (int i = 0; i < 12; i++) {
            add(Attempts.started(address(i), ME, 80, 500));
            add(Attempts.completed(address(i), ME, 80, 600));
        }
        for (Attempt each : Attempts.flood(ME, 80, 12, 1_000)) {
            add(each);
        }
        for (Attempt each : Attempts.flood(ME, 81, 12, 1_000)) {
            add(each);
        }
        assertThat(stream.advance(1_999)).extracting(AttackAlert::port).containsExactly(81);
        stream.snapshot();
        restart(1);
        // The first watermark of a source that has just started again.
        assertThat(stream.advance(900)).isEmpty();
        assertThat(stream.advance(1_999)).isEmpty();
        for (Attempt each : Attempts.flood(ME, 81, 1, 2_000)) {
            add(each);
        }
        List<AttackAlert> after = stream.advance(20_000);
        assertThat(after)
                .as("of 80 the pane after the one that was closed twice is the first of an attack")
                .extracting(
                        AttackAlert::port,
                        AttackAlert::raised,
                        AttackAlert::attempts,
                        AttackAlert::millis)
                .containsExactlyInAnyOrder(
                        tuple(80, true, 12L, 2_999L),
                        tuple(80, false, 12L, 7_999L),
                        tuple(81, false, 13L, 7_999L));
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE - 1_000, 4_000_000_000_000L, 3_700_000})
    void wildTimestampsAreCountedAndHideNothing(long wild) throws Exception {
        parties = 1;
        start(16);
        stream.advance(999);
        // As many as there is room for, including services that are flooded later.
        for (int i = 0; i < 2_000; i++) {
            add(Attempts.started(address(i), address(i), 80, wild - i % 3));
        }
        floods(20, 12, 1_000);
        assertThat(stream.gaugeSum(AttackMetrics.AHEAD)).isEqualTo(2_000);
        assertThat(stream.gaugeSum(AttackMetrics.FORGOTTEN)).isPositive();
        assertThat(stream.gaugeSum(AttackMetrics.TALLIES)).isEqualTo(256);
        assertThat(stream.advance(1_999)).hasSize(20);
        assertThat(stream.advance(20_000)).hasSize(20).noneMatch(AttackAlert::raised);
    }

    @Test
    void anAttackInWildTimesThatADrainReportsIsOverSoon() throws Exception {
        start(10);
        floods(1, 12, TEN_YEARS);
        assertThat(stream.advance(Long.MAX_VALUE)).hasSize(1);
        stream.snapshot();
        restart(2);
        stream.advance(5_000);
        floods(1, 1, 5_500);
        assertThat(stream.advance(5_999)).isEmpty();
        assertThat(stream.advance(20_000)).hasSize(1).noneMatch(AttackAlert::raised);
        floods(1, 12, 21_000);
        assertThat(stream.advance(21_999)).hasSize(1).allMatch(AttackAlert::raised);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 128, 32_768})
    void anAttackIsFoundWhateverTheMaximumParallelism(int maxParallelism) throws Exception {
        parties = 70_000;
        start(maxParallelism);
        // Some key groups get many more parties than others.
        floods(30, 12, 0);
        for (int i = 0; i < 60_000; i++) {
            add(Attempts.started(ME, address(100_000 + i), 80, i / 100));
        }
        assertThat(stream.gaugeSum(AttackMetrics.FORGOTTEN)).isZero();
        assertThat(stream.advance(1_000)).hasSize(30);
    }

    @Test
    void scansAreFoundInEveryPaneThoughTheWatermarkLagsAndSourcesAreMadeUp() throws Exception {
        kind = AttackKind.SCAN;
        parties = 100;
        start(64);
        int made = 10_000_000;
        for (int pane = 0; pane < 50; pane++) {
            for (int i = 0; i < 1_000; i++) {
                long millis = 1_000L * pane + i;
                add(Attempts.started(address(made++), ME, 80, millis));
                if (i % 40 == 0) {
                    add(Attempts.started(address(7 + pane), address(i), 22, millis));
                }
            }
        }
        assertThat(stream.gaugeSum(AttackMetrics.TALLIES)).isEqualTo(400);
        assertThat(stream.gaugeSum(AttackMetrics.FORGOTTEN)).isEqualTo(50_050 - 400);
        assertThat(stream.advance(50_000).stream().filter(AttackAlert::raised)).hasSize(50);
    }

    @Test
    void aNewScanGrowsThoughAllRoomIsTakenByLargerParties() throws Exception {
        kind = AttackKind.SCAN;
        parties = 100;
        start(8);
        for (int i = 0; i < 400; i++) {
            for (int attempt = 0; attempt < 4; attempt++) {
                add(Attempts.started(address(1_000 + i), address(attempt), 22, 100));
            }
        }
        for (int i = 0; i < 12; i++) {
            add(Attempts.started(address(7), address(i), 22, 2_000 + i));
            for (int other = 0; other < 150; other++) {
                add(Attempts.started(address(50_000 + 150 * i + other), ME, 80, 2_000 + i));
            }
        }
        assertThat(stream.advance(3_000)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 600, 1_500, 4_899})
    void theNumbersOfAnAttackAreWholeThoughTheJobWasDrainedInTheMiddle(int drainedAt)
            throws Exception {
        start(100);
        List<Attempt> attempts = Attempts.flood(ME, 80, 4_900, 0);
        List<AttackAlert> alerts = new ArrayList<>();
        for (int i = 0; i < attempts.size(); i++) {
            if (i == drainedAt) {
                alerts.addAll(stream.advance(Long.MAX_VALUE));
                assertThat(stream.endInput()).isEmpty();
                stream.snapshot();
                restart(2);
            }
            add(attempts.get(i));
            if (i % 100 == 0) {
                alerts.addAll(stream.advance(i - 200));
            }
        }
        alerts.addAll(stream.advance(50_000));
        assertThat(alerts).extracting(AttackAlert::raised).containsExactly(true, false);
        assertThat(alerts.get(1).attempts()).isEqualTo(4_900);
        assertThat(alerts.get(1).firstMillis()).isZero();
    }

    @Test
    void anAttackThatADrainReportsAndThatBeganEarlierHasTheNumbersOfAll() throws Exception {
        start(100);
        floods(1, 11, 500);
        floods(1, 12, 1_500);
        assertThat(stream.advance(Long.MAX_VALUE)).hasSize(1);
        stream.snapshot();
        restart(2);
        // Attempts that were on their way turn the first pane into an attack.
        floods(1, 4, 200);
        floods(1, 7, 2_500);
        List<AttackAlert> alerts = stream.advance(50_000);
        assertThat(alerts).hasSize(1);
        assertThat(alerts.get(0).attempts()).isEqualTo(34);
        assertThat(alerts.get(0).firstMillis()).isEqualTo(200);
    }

    @Test
    void aRestoreWithFewerPartiesKeepsAttacksAndMakesRoom() throws Exception {
        start(100);
        for (int i = 0; i < 2_000; i++) {
            add(Attempts.started(ME, address(10_000 + i), 80, 100));
        }
        floods(20, 12, 200);
        stream.snapshot();
        parties = 1;
        restart(1);
        assertThat(stream.gaugeSum(AttackMetrics.TALLIES)).isEqualTo(2_020);
        add(Attempts.started(ME, address(9_000), 80, 300));
        assertThat(stream.gaugeSum(AttackMetrics.TALLIES)).isEqualTo(256);
        assertThat(stream.gaugeSum(AttackMetrics.FORGOTTEN)).isEqualTo(1_765);
        assertThat(stream.advance(999)).hasSize(20);
    }

    @Test
    void aWatermarkAheadOfTheWallClockAndOneThatStandsStillAreCounted() throws Exception {
        start(1);
        long now = 1_000_000;
        stream.processingTime(now);
        stream.advance(now + 7_200_000);
        assertThat(stream.gauge(0, AttackMetrics.WATERMARK_AHEAD_MILLIS, Long.class))
                .isBetween(7_100_000L, 7_200_000L);
        stream.close();
        restart(1);
        for (int minute = 0; minute < 3; minute++) {
            now += 60_000;
            stream.processingTime(now);
            floods(1, 1, now);
        }
        assertThat(stream.gauge(0, AttackMetrics.WATERMARK_STALLED_MILLIS, Long.class))
                .isGreaterThan(100_000);
    }
}
