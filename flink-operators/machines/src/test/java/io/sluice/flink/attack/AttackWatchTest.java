/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static io.sluice.flink.attack.Attempts.ME;
import static io.sluice.flink.attack.Attempts.address;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Attempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When something is an attack, and which attacks are still found when memory is short. */
class AttackWatchTest {

    /** Panes of a second. */
    private static final Duration WINDOW = Duration.ofSeconds(2);

    private static final Duration QUIET = Duration.ofSeconds(5);

    private final List<AttackAlert> alerts = new ArrayList<>();

    private static AttackSettings settings(AttackKind kind, int threshold) {
        return new AttackSettings(kind, WINDOW, threshold, 0.25, QUIET, 1_000, false);
    }

    private static AttackWatch watch(AttackKind kind, int threshold, int parties) {
        return new AttackWatch(settings(kind, threshold), new Room(parties), new AttackCounts());
    }

    private void add(AttackWatch watch, List<Attempt> attempts) {
        attempts.forEach(each -> Attempts.add(watch, each));
    }

    @Test
    void aFloodIsRaisedWithThisManyUnansweredAttemptsAndNotWithOneLess() {
        AttackWatch watch = watch(AttackKind.SYN_FLOOD, 100, 1_000);
        add(watch, Attempts.flood(ME, 80, 100, 100));
        add(watch, Attempts.flood(ME, 81, 99, 100));
        watch.advance(998, alerts::add);
        assertThat(alerts).isEmpty();
        watch.advance(999, alerts::add);
        assertThat(alerts)
                .containsExactly(
                        new AttackAlert(
                                AttackKind.SYN_FLOOD, true, ME, 80, 100, 0, 0, 0, 100, 999));
    }

    @Test
    void refusedAndCompletedAttemptsAreNoPartOfAFlood() {
        AttackWatch watch = watch(AttackKind.SYN_FLOOD, 10, 1_000);
        add(watch, Attempts.flood(ME, 80, 18, 0));
        for (int i = 0; i < 9; i++) {
            Attempts.add(watch, new Attempt(Attempt.Kind.REFUSED, address(i), ME, 80, 20));
        }
        // 40 unanswered, but more than a quarter are completed.
        add(watch, Attempts.flood(ME, 443, 60, 0));
        for (int i = 0; i < 16; i++) {
            Attempts.add(watch, Attempts.completed(address(i), ME, 443, 90));
        }
        watch.advance(20_000, alerts::add);
        assertThat(alerts).isEmpty();
    }

    @Test
    void aScanIsTheNumberOfDifferentServicesNotOfAttempts() {
        AttackWatch watch = watch(AttackKind.SCAN, 30, 1_000);
        for (int i = 0; i < 500; i++) {
            // One service after another, on one host and on many.
            Attempts.add(watch, Attempts.started(address(1), address(5), i % 29, i));
            Attempts.add(watch, Attempts.started(address(2), address(5), i % 30, i));
            Attempts.add(watch, Attempts.started(address(4), address(i % 30), 22, i));
        }
        watch.advance(999, alerts::add);
        assertThat(alerts)
                .extracting(AttackAlert::address)
                .containsExactlyInAnyOrder(address(2), address(4));
        assertThat(alerts).extracting(AttackAlert::targets).containsOnly(30L);
        assertThat(alerts).extracting(AttackAlert::attempts).containsOnly(500L);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 100_000})
    void theNumberOfServicesIsRightWithinFiveStandardErrors(int services) {
        AttackWatch watch = watch(AttackKind.SCAN, services * 3 / 4, 10);
        SplittableRandom random = Seeds.random();
        int first = random.nextInt(1 << 24);
        for (int i = 0; i < services; i++) {
            // Each twice, in both panes of the window.
            Address target = Address.ofIpv4(first + i);
            Attempts.add(watch, Attempts.started(ME, target, 22, 500));
            Attempts.add(watch, Attempts.started(ME, target, 22, 1_500));
        }
        watch.advance(1_999, alerts::add);
        AttackAlert alert = alerts.get(0);
        assertThat(alert.targets() / (double) services).isBetween(1 - 5 * 0.049, 1 + 5 * 0.049);
    }

    @Test
    void attemptsOnBothSidesOfAPaneAreSeenTogetherAndThoseFurtherApartAreNot() {
        AttackWatch watch = watch(AttackKind.SYN_FLOOD, 100, 1_000);
        add(watch, Attempts.flood(ME, 80, 100, 950));
        add(watch, Attempts.flood(ME, 81, 50, 0));
        add(watch, Attempts.flood(ME, 81, 50, 2_000));
        watch.advance(1_998, alerts::add);
        assertThat(alerts).isEmpty();
        watch.advance(3_999, alerts::add);
        assertThat(alerts).hasSize(1);
        assertThat(alerts.get(0).port()).isEqualTo(80);
        assertThat(alerts.get(0).attempts()).isEqualTo(100);
        assertThat(alerts.get(0).millis()).isEqualTo(1_999);
    }

    @Test
    void whatIsLateIsCountedAndLeftOut() {
        AttackWatch watch = watch(AttackKind.SYN_FLOOD, 10, 1_000);
        watch.advance(4_999, alerts::add);
        add(watch, Attempts.flood(ME, 80, 10, 4_990));
        watch.advance(20_000, alerts::add);
        assertThat(alerts).isEmpty();
        assertThat(watch.counts().late).isEqualTo(10);
        add(watch, Attempts.flood(ME, 80, 10, 21_000));
        watch.advance(21_999, alerts::add);
        assertThat(alerts).hasSize(1);
    }

    @Test
    void anAttackThatGoesOnIsReportedOnceAndClearedOnceAfterAQuietTime() {
        AttackWatch watch = watch(AttackKind.SYN_FLOOD, 10, 1_000);
        for (int second = 0; second < 10; second++) {
            add(watch, Attempts.flood(ME, 80, 10, 1_000L * second));
            watch.advance(1_000L * second + 999, alerts::add);
        }
        // A pause of less than the quiet time, and then the same attack again.
        add(watch, Attempts.flood(ME, 80, 10, 13_000));
        assertThat(alerts).hasSize(1);
        // The last window that is an attack ends with second 14.
        watch.advance(19_998, alerts::add);
        assertThat(alerts).hasSize(1);
        watch.advance(19_999, alerts::add);
        assertThat(alerts).hasSize(2);
        assertThat(alerts.get(1))
                .isEqualTo(
                        new AttackAlert(
                                AttackKind.SYN_FLOOD, false, ME, 80, 110, 0, 0, 0, 0, 19_999));
        add(watch, Attempts.flood(ME, 80, 10, 20_000));
        watch.advance(20_999, alerts::add);
        assertThat(alerts).hasSize(3);
        assertThat(alerts.get(2).raised()).isTrue();
        watch.advance(1_000_000, alerts::add);
        assertThat(alerts).hasSize(4);
        assertThat(watch.tallies()).isZero();
        assertThat(watch.episodes()).isEmpty();
        assertThat(watch.counts().raised).isEqualTo(2);
        assertThat(watch.counts().cleared).isEqualTo(2);
    }

    @Test
    void theEndOfTheInputRaisesWhatIsAnAttackAlreadyAndOnceOnly() {
        AttackWatch watch = watch(AttackKind.SYN_FLOOD, 10, 1_000);
        add(watch, Attempts.flood(ME, 80, 10, 500));
        add(watch, Attempts.flood(ME, 81, 9, 500));
        watch.endInput(alerts::add);
        assertThat(alerts).hasSize(1);
        watch.endInput(alerts::add);
        add(watch, Attempts.flood(ME, 81, 1, 600));
        watch.advance(999, alerts::add);
        assertThat(alerts).extracting(AttackAlert::port).containsExactly(80, 81);
        watch.advance(100_000, alerts::add);
        assertThat(alerts).hasSize(4);
        assertThat(alerts.subList(2, 4)).extracting(AttackAlert::attempts).containsOnly(10L);
    }

    @Test
    void aFloodOfMadeUpSourcesTakesBoundedMemoryAndHidesNoScan() {
        int room = 50;
        AttackWatch watch = watch(AttackKind.SCAN, 30, room);
        int made = 0;
        for (int i = 0; i < 100_000; i++) {
            Attempts.add(watch, Attempts.started(address(10_000_000 + made++), ME, 80, i / 100));
            // Fewer new sources between two of its probes than there is room for.
            if (i % 40 == 0) {
                Attempts.add(watch, Attempts.started(address(7), address(i), 22, i / 100));
            }
            assertThat(watch.tallies()).isLessThanOrEqualTo(room);
        }
        watch.advance(999, alerts::add);
        assertThat(alerts).hasSize(1);
        assertThat(alerts.get(0).address()).isEqualTo(address(7));
        assertThat(watch.counts().forgotten).isEqualTo(100_001 - room);
    }

    @Test
    void panesThatNoWatermarkClosesTakeBoundedMemoryToo() {
        AttackWatch watch = watch(AttackKind.SCAN, 30, 50);
        for (int i = 0; i < 10_000; i++) {
            Attempts.add(watch, Attempts.started(address(i), ME, 80, 1_000L * (i / 20)));
        }
        assertThat(watch.tallies()).isEqualTo(50);
        assertThat(watch.counts().forgotten).isEqualTo(9_950);
        watch.advance(100_000_000, alerts::add);
        assertThat(watch.tallies()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void saysTheSameAsAPlainModelInWhateverOrderAttemptsCome(AttackKind kind) {
        SplittableRandom random = Seeds.random();
        int total = 0;
        for (int run = 0; run < 20; run++) {
            List<Attempt> attempts = Attempts.bursts(random, 60, 60_000);
            AttackSettings settings = settings(kind, 8 + random.nextInt(10));
            List<AttackAlert> expected = new PlainWatch(settings).alerts(attempts, 100_000);
            alerts.clear();
            AttackWatch watch = new AttackWatch(settings, new Room(1_000), new AttackCounts());
            List<Attempt> ahead = new ArrayList<>();
            for (Attempt each : attempts) {
                ahead.add(each);
                while (ahead.size() > 100) {
                    Attempts.add(watch, ahead.remove(random.nextInt(ahead.size())));
                    long least = ahead.stream().mapToLong(Attempt::millis).min().orElseThrow();
                    watch.advance(least - 1, alerts::add);
                }
            }
            add(watch, ahead);
            watch.advance(99_999, alerts::add);
            assertThat(watch.counts().late + watch.counts().forgotten).isZero();
            assertThat(alerts)
                    .usingElementComparator(AttackWatchTest::compare)
                    .containsExactlyInAnyOrderElementsOf(expected);
            total += expected.size();
        }
        assertThat(total).isGreaterThan(100);
    }

    /** Equal except for the estimate. */
    private static int compare(AttackAlert one, AttackAlert other) {
        boolean near = Math.abs(one.targets() - other.targets()) <= 0.25 * other.targets();
        return near && withoutTargets(one).equals(withoutTargets(other)) ? 0 : 1;
    }

    private static AttackAlert withoutTargets(AttackAlert alert) {
        return new AttackAlert(
                alert.kind(),
                alert.raised(),
                alert.address(),
                alert.port(),
                alert.attempts(),
                alert.completed(),
                alert.refused(),
                0,
                alert.firstMillis(),
                alert.millis());
    }

    @Test
    void settingsOutOfRangeAreRefusedWithTheirBounds() {
        AttackAlerts alerts = AttackAlerts.create();
        assertThatThrownBy(() -> alerts.floods(0, WINDOW).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("threshold")
                .hasMessageContaining("0");
        assertThatThrownBy(() -> AttackAlerts.create().scans(1, Duration.ofMillis(1)).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("window");
        assertThatThrownBy(() -> AttackAlerts.create().completedShare(1.1).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("completedShare");
        assertThatThrownBy(() -> AttackAlerts.create().quiet(Duration.ofSeconds(1)).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("quiet");
        assertThatThrownBy(() -> AttackAlerts.create().parties(0).check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("parties");
    }

    /**
     * Who may choose the last 64 bits of its addresses chooses their hash codes. Looking one up
     * took as long as there were such parties.
     */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void partiesWithEqualHashCodesAreFoundAtOnce() {
        int count = 200_000;
        AttackWatch watch = watch(AttackKind.SCAN, 100, count);
        for (long i = 0; i < count; i++) {
            Address source = new Address(0, i << Integer.SIZE | i);
            Attempts.add(watch, new Attempt(Attempt.Kind.STARTED, source, ME, 80, 100));
        }
        assertThat(watch.tallies()).isEqualTo(count);
    }
}
