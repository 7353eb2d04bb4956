/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.job.counters.CountersOptions;
import io.sluice.job.flows.FlowsOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReconcileOptionsTest {

    private static ReconcileOptions parse(String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("--bootstrap-servers=here:9092", "--replica=east"));
        arguments.addAll(List.of(more));
        return ReconcileOptions.parse(arguments);
    }

    @Test
    void theMirroredJobReadsWhatThisOneWritesAndTheReverse() {
        ReconcileOptions east =
                parse("--peer=west", "--peer-bootstrap=there:9092", "--window=10 s", "--groups=7");
        ReconcileOptions west = east.mirrored("copies");
        assertThat(west.replica()).isEqualTo("west");
        assertThat(west.brokers().servers()).isEqualTo("there:9092");
        assertThat(west.peerBrokers().servers()).isEqualTo("here:9092");
        assertThat(west.inputTopic()).isEqualTo("copies");
        assertThat(west.outputTopics()).containsAll(east.replicas.peerTopics(east.prefix));
        assertThat(east.outputTopics()).containsAll(west.replicas.peerTopics(west.prefix));
        assertThat(west).usingRecursiveComparison().isNotEqualTo(east);
        ReconcileOptions again = west.mirrored("packets");
        assertThat(again)
                .as("mirrored twice, every option is as it was")
                .usingRecursiveComparison()
                .ignoringFields("brokerOptions", "replicas.peerBootstrap", "replicas.peerBrokers")
                .isEqualTo(east);
        assertThat(again.brokers()).isEqualTo(east.brokers());
        assertThat(again.peerBrokers()).isEqualTo(east.peerBrokers());
    }

    @Test
    void withoutAPeersBrokerBothUseOne() {
        assertThat(parse("--peer=west").peerBrokers().servers()).isEqualTo("here:9092");
    }

    @Test
    void itWritesToItsPeerAndSoToNoOtherClusterUnlikeTheOtherJobs() {
        String other = "--output-bootstrap-servers=there:9092";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--peer=west", other))
                .withMessageContaining("--output-bootstrap-servers");
        assertThat(
                        List.of(
                                CountersOptions.parse("--bootstrap-servers=here:9092", other),
                                FlowsOptions.parse("--bootstrap-servers=here:9092", other)))
                .allMatch(job -> job.outputBrokers().servers().equals("there:9092"));
    }

    @Test
    void replicasNeedTwoNames() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--peer=east"))
                .withMessageContaining("two different names");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReconcileOptions.parse(List.of("--bootstrap-servers=here:9092")))
                .withMessageContaining("--replica and --peer are required");
    }

    @Test
    void noTopicIsReadAndWritten() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--peer=west", "--input-topic=reconcile-east-late"))
                .withMessageContaining("--prefix");
    }

    @Test
    void thereAreNoMoreSubtasksThanKeyGroups() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--peer=west", "--groups=4", "--parallelism=5"))
                .withMessageContaining("at most --groups, 4, but is 5");
    }

    @Test
    void aWrongValueIsNamedAsItWasGiven() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--peer=west", "--counter-bits=1"))
                .withMessageContaining("--counter-bits must be at least 2");
    }
}
