/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.job.counters.CountersOptions;
import io.sluice.job.flows.FlowsOptions;
import io.sluice.job.reconcile.ReconcileOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransactionalIdsTest {

    @Test
    void transactionsAreNamedAfterGroupAndOutputTopicUnlessToldOtherwise() {
        assertThat(counters().transactionalIdPrefix()).isEqualTo("sluice-counters/counters");
        assertThat(counters("--group=g", "--output-topic=t").transactionalIdPrefix())
                .isEqualTo("g/t");
        assertThat(counters("--transactional-id-prefix=mine").transactionalIdPrefix())
                .isEqualTo("mine");
        assertThat(
                        FlowsOptions.parse("--bootstrap-servers=here:9092", "--flows-topic=f")
                                .transactionalIdPrefix())
                .isEqualTo("sluice-flows/f");
    }

    @Test
    void replicasOfSeveralPairsOnOneBrokerHaveTransactionsOfTheirOwn() {
        assertThat(
                        List.of(
                                replica("--replica=east", "--peer=west"),
                                replica("--replica=west", "--peer=east"),
                                replica("--replica=east", "--peer=west", "--prefix=other")))
                .doesNotHaveDuplicates();
    }

    @Test
    void noTwoPairsOfGroupAndTopicHaveOneName() {
        assertThat(counters("--group=a", "--output-topic=b-c").transactionalIdPrefix())
                .isNotEqualTo(counters("--group=a-b", "--output-topic=c").transactionalIdPrefix());
    }

    private static String replica(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--bootstrap-servers=here:9092");
        return ReconcileOptions.parse(all).transactionalIdPrefix();
    }

    private static CountersOptions counters(String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        all.add("--bootstrap-servers=here:9092");
        return CountersOptions.parse(all);
    }
}
