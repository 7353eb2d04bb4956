/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.flow.FlowOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowsJobTest {

    @Test
    void packetsAreBelievedADayAheadOrAsLongAsTheLongestTimeoutOrAsTheOptionSays() {
        assertThat(options().flows.maxFuture()).isEqualTo(Duration.ofDays(1));
        assertThat(options("--open-timeout=3 d").flows.maxFuture()).isEqualTo(Duration.ofDays(3));
        assertThat(options("--max-future=2 h").flows.maxFuture()).isEqualTo(Duration.ofHours(2));
    }

    @Test
    void aBoundThatIsNoneIsRefusedWithTheOptionTheBoundAndTheRemedy() {
        assertThatThrownBy(() -> options("--max-future=400 d"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--max-future must be at most 366 days, but is 400 days: lower it");
    }

    @Test
    void durationsHaveTheDefaultsOfTheOperators() {
        FlowArguments flows = options().flows;
        assertThat(flows.openingTimeout).isEqualTo(FlowOptions.OPENING_TIMEOUT.defaultValue());
        assertThat(flows.openTimeout).isEqualTo(FlowOptions.OPEN_TIMEOUT.defaultValue());
        assertThat(flows.closedTimeout).isEqualTo(FlowOptions.CLOSED_TIMEOUT.defaultValue());
    }

    private static FlowsOptions options(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--bootstrap-servers=here:9092"));
        arguments.addAll(List.of(more));
        return FlowsOptions.parse(arguments);
    }
}
