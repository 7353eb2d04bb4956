/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.attack.AttackOptions;
import io.sluice.flink.flow.FlowOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;

class FlowsJobTest {

    @Test
    void floodsAndScansAreLookedForUnlessNobodyWantsThem() {
        assertThat(uids()).contains("flows", "attacks-syn-flood", "attacks-scan");
        assertThat(uids("--no-attacks"))
                .contains("flows")
                .noneMatch(uid -> uid.startsWith("attacks"));
    }

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
        assertThat(flows.floodWindow).isEqualTo(AttackOptions.FLOOD_WINDOW.defaultValue());
        assertThat(flows.scanWindow).isEqualTo(AttackOptions.SCAN_WINDOW.defaultValue());
        assertThat(flows.attackQuiet).isEqualTo(AttackOptions.QUIET.defaultValue());
    }

    private static FlowsOptions options(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--bootstrap-servers=here:9092"));
        arguments.addAll(List.of(more));
        return FlowsOptions.parse(arguments);
    }

    private static List<String> uids(String... more) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        FlowsJob.define(env, options(more));
        return env.getStreamGraph().getStreamNodes().stream()
                .map(StreamNode::getTransformationUID)
                .filter(Objects::nonNull)
                .toList();
    }
}
