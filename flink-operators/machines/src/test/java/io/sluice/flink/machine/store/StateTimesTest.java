/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateTimesTest {

    private static final StateClasses CLASSES =
            new StateClasses(
                    List.of(
                            new StateClasses.Of(2, Duration.ofMillis(10), false),
                            new StateClasses.Of(1, Duration.ofMillis(1), true)));

    @Test
    void slicesAreRoundedUpSoThatNoMachineTimesOutEarly() {
        StateTimes times = new StateTimes(CLASSES, 4, StateTimes.NONE);
        assertThat(times.sliceMillis(0)).isEqualTo(3);
        assertThat(times.sliceMillis(1)).isEqualTo(1);
    }

    @Test
    void aStateHasTheClassOfItsNumber() {
        StateTimes times = new StateTimes(CLASSES, 1, 0);
        assertThat(times.states()).isEqualTo(3);
        assertThat(times.codeOf(1)).isZero();
        assertThat(times.codeOf(2)).isEqualTo(1);
        assertThat(times.isTerminal(1)).isFalse();
        assertThat(times.isTerminal(2)).isTrue();
        assertThat(times.sacrificed()).isZero();
    }

    @Test
    void slicesAndTheSacrificedClassAreChecked() {
        assertThatThrownBy(() -> new StateTimes(CLASSES, 0, 0)).hasMessageContaining("slices");
        assertThatThrownBy(() -> new StateTimes(CLASSES, 1, 2)).hasMessageContaining("class 2");
        assertThatThrownBy(() -> new StateTimes(CLASSES, 1, -2)).hasMessageContaining("class -2");
    }
}
