/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.flow.FlowOptions;
import io.sluice.flink.machine.store.StoreKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.ReadableConfig;
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
                .hasMessage(
                        "--max-future must be at least 0 ms and at most 366 d, but is 400 d: give"
                                + " how far ahead of the watermark a timestamp may be.");
    }

    @Test
    void optionsReachTheOperator() {
        ReadableConfig options =
                options("--store=kbf", "--expecting=7", "--max-future=2 h").flows.options();
        assertThat(options.get(FlowOptions.STORE)).isEqualTo(StoreKind.KBF);
        assertThat(options.get(FlowOptions.EXPECTING)).isEqualTo(7);
        assertThat(options.get(FlowOptions.MAX_FUTURE)).isEqualTo(Duration.ofHours(2));
        assertThat(options.get(FlowOptions.SLICES)).isEqualTo(1);
    }

    @Test
    void totalsAreKeptIfAskedForAndOnCapturesIfTheStoreCan() {
        assertThat(keepsTotals(options())).isFalse();
        assertThat(keepsTotals(options("--totals=true"))).isTrue();
        FlowsOptions exact = options();
        exact.flows.keepTotalsByDefault();
        assertThat(keepsTotals(exact)).isTrue();
        FlowsOptions without = options("--totals=false");
        without.flows.keepTotalsByDefault();
        assertThat(keepsTotals(without)).isFalse();
        FlowsOptions filter = options("--store=kbf");
        filter.flows.keepTotalsByDefault();
        assertThat(keepsTotals(filter)).isFalse();
        assertThatThrownBy(() -> options("--store=kbf", "--totals=true"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "--totals needs --store exact, but the store is KBF: only that one is sure"
                                + " to know which flows it holds.");
        FlowsOptions chosen = options("--error-probability=0.001");
        chosen.flows.keepTotalsByDefault();
        assertThat(keepsTotals(chosen)).isFalse();
        assertThatThrownBy(() -> options("--error-probability=0.001", "--totals=true"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("--totals needs --store exact, but the store is to be");
    }

    private static boolean keepsTotals(FlowsOptions options) {
        return options.flows.options().get(FlowOptions.TOTALS);
    }

    @Test
    void aWrongTimeoutIsNamedAsItWasGiven() {
        assertThatThrownBy(() -> options("--closed-timeout=0 s"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("--closed-timeout must be at least 1 ms");
    }

    private static FlowsOptions options(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--bootstrap-servers=here:9092"));
        arguments.addAll(List.of(more));
        return FlowsOptions.parse(arguments);
    }
}
