/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static org.assertj.core.api.Assertions.assertThat;

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

    private static List<String> uids(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--bootstrap-servers=here:9092"));
        arguments.addAll(List.of(more));
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        FlowsJob.define(env, FlowsOptions.parse(arguments));
        return env.getStreamGraph().getStreamNodes().stream()
                .map(StreamNode::getTransformationUID)
                .filter(Objects::nonNull)
                .toList();
    }
}
