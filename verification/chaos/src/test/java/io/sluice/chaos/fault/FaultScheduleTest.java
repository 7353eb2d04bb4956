/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FaultScheduleTest {
    private static final Set<FaultKind> ALL = EnumSet.allOf(FaultKind.class);

    @Test
    void isAFunctionOfTheSeed() {
        assertThat(faults(7, ALL, 100)).isEqualTo(faults(7, ALL, 100));
        assertThat(faults(7, ALL, 100)).isNotEqualTo(faults(8, ALL, 100));
    }

    @Test
    void doesNotDependOnTheOrderInWhichKindsAreNamed() {
        assertThat(faults(7, List.of(FaultKind.NET_CUT, FaultKind.KILL_BROKER), 20))
                .isEqualTo(faults(7, List.of(FaultKind.KILL_BROKER, FaultKind.NET_CUT), 20));
    }

    @Test
    void dealsEachKindOnceBeforeAnyComesAgain() {
        List<Fault> faults = faults(3, ALL, 3 * ALL.size());
        for (int round = 0; round < 3; round++) {
            assertThat(
                            faults.subList(round * ALL.size(), (round + 1) * ALL.size()).stream()
                                    .map(Fault::kind)
                                    .collect(Collectors.toSet()))
                    .isEqualTo(ALL);
        }
    }

    @Test
    void aKindThatNotEveryMachineHasLeavesTheOthersAsTheyAre() {
        Set<FaultKind> without = EnumSet.complementOf(EnumSet.of(FaultKind.CLOCK_STEP));
        assertThat(
                        faults(7, ALL, 2 * ALL.size()).stream()
                                .filter(fault -> !fault.kind().isOptional())
                                .map(FaultScheduleTest::withoutNumber))
                .containsExactlyElementsOf(
                        faults(7, without, 2 * without.size()).stream()
                                .map(FaultScheduleTest::withoutNumber)
                                .toList());
    }

    private static Fault withoutNumber(Fault fault) {
        return new Fault(
                0,
                fault.kind(),
                fault.pause(),
                fault.length(),
                fault.target(),
                fault.variation(),
                fault.awaitsRecovery());
    }

    @Test
    void someFaultsWaitForTheRecoveryOfTheOneBeforeAndSomeDoNot() {
        assertThat(faults(1, ALL, 50).stream().map(Fault::awaitsRecovery).distinct())
                .containsExactlyInAnyOrder(true, false);
    }

    @Test
    void whatLastsLastsLongerThanHeartbeatsMayBeMissing() {
        assertThat(faults(1, ALL, 100))
                .allSatisfy(
                        fault -> {
                            assertThat(fault.length().toSeconds()).isBetween(10L, 16L);
                            assertThat(fault.pause().toSeconds()).isBetween(2L, 8L);
                        });
    }

    @Test
    void aNameSelectsAKindOrAllThatBeginWithIt() {
        assertThat(FaultKind.select(List.of("net", "kill-broker")))
                .containsExactlyInAnyOrder(
                        FaultKind.NET_CUT,
                        FaultKind.NET_DELAY,
                        FaultKind.NET_RESET,
                        FaultKind.KILL_BROKER);
        assertThatThrownBy(() -> FaultKind.select(List.of("kil")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'kil', which is not a fault: write kill-taskmanager");
    }

    @Test
    void noKindIsRefused() {
        assertThatThrownBy(() -> new FaultSchedule(1, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static List<Fault> faults(long seed, java.util.Collection<FaultKind> kinds, int count) {
        FaultSchedule schedule = new FaultSchedule(seed, kinds);
        return Stream.generate(schedule::next).limit(count).toList();
    }
}
