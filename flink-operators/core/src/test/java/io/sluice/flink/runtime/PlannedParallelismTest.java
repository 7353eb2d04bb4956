/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

class PlannedParallelismTest {

    private final StreamExecutionEnvironment environment =
            StreamExecutionEnvironment.createLocalEnvironment(4);

    @Test
    void withoutAMaximumItIsFlinksDefault() {
        assertThat(PlannedParallelism.of(environment)).contains(new PlannedParallelism(4, 128));
    }

    @Test
    void aConfiguredMaximumIsTheNumberOfKeyGroups() {
        environment.setMaxParallelism(32768);
        assertThat(PlannedParallelism.of(environment)).contains(new PlannedParallelism(4, 32768));
    }

    @Test
    void whatIsNotSetIsNotKnown() {
        environment.setParallelism(-1);
        assertThat(PlannedParallelism.of(environment)).isEmpty();
    }

    @Test
    void whatNoJobCanHaveIsLeftToFlink() {
        environment.setMaxParallelism(3);
        assertThat(PlannedParallelism.of(environment)).isEmpty();
    }
}
