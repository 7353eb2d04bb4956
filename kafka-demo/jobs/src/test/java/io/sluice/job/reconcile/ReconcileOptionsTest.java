/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.job.counters.CountersOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        assertThat(west.inputTopics()).containsExactly("copies");
        assertThat(west.outputTopics().values()).containsAll(east.replicas.peerTopics(east.prefix));
        assertThat(east.outputTopics().values()).containsAll(west.replicas.peerTopics(west.prefix));
        assertThat(west).usingRecursiveComparison().isNotEqualTo(east);
        ReconcileOptions again = west.mirrored("packets");
        assertThat(again)
                .as("mirrored twice, every option is as it was")
                .usingRecursiveComparison()
                .ignoringFields(
                        "brokerOptions", "input", "replicas.peerBootstrap", "replicas.peerBrokers")
                .isEqualTo(east);
        assertThat(again.brokers()).isEqualTo(east.brokers());
        assertThat(again.peerBrokers()).isEqualTo(east.peerBrokers());
    }

    @Test
    void withoutAPeersBrokerBothUseOne() {
        assertThat(parse("--peer=west").peerBrokers().servers()).isEqualTo("here:9092");
    }

    @Test
    void whatItWritesMayGoToAnotherClusterLikeThatOfTheOtherJobs() {
        ReconcileOptions east = parse("--peer=west", "--output-bootstrap-servers=there:9092");
        assertThat(east.brokers().servers()).isEqualTo("here:9092");
        assertThat(east.outputBrokers().servers()).isEqualTo("there:9092");
        assertThat(east.peerBrokers().servers())
                .as("the peer writes where this side does, unless told otherwise")
                .isEqualTo("there:9092");
    }

    @Test
    void withFieldsTheMirroredJobHasThemToo() {
        ReconcileOptions west =
                parse(
                                "--peer=west",
                                "--input-topic=orders",
                                "--id=json:/id,header:site",
                                "--multiplicity=json:/n",
                                "--time=json:/at",
                                "--time-unit=s",
                                "--tombstones=drop",
                                "--discovery-interval=1s",
                                "--transactional-id-prefix=mine")
                        .mirrored("copies");
        assertThat(west.isPackets()).isFalse();
        assertThat(west.layout()).isEqualTo(west.mirrored("orders").layout());
        assertThat(west.optionsOfTheState())
                .containsEntry("--id", "json:/id,header:site")
                .containsEntry("--multiplicity", "json:/n")
                .containsEntry("--time", "json:/at")
                .containsEntry("--time-unit", "s");
        assertThat(west.discoveryInterval()).hasSeconds(1);
        assertThat(west.transactionalIdPrefix()).isEqualTo("mine-beside");
    }

    @Test
    void withoutAFieldTheRecordsArePackets() {
        assertThat(parse("--peer=west").isPackets()).isTrue();
        assertThat(parse("--peer=west").inputTopics()).containsExactly("packets");
        assertThat(parse("--peer=west").optionsOfTheState())
                .isEqualTo(Map.of("--count-by", "source"));
        ReconcileOptions keys = parse("--peer=west", "--format=fields", "--input-topic=t");
        assertThat(keys.isPackets()).isFalse();
        assertThat(keys.optionsOfTheState())
                .containsEntry("--id", "key")
                .containsEntry("--multiplicity", "1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--format=packets --multiplicity=json:/n; --multiplicity has no effect on packets",
                "--format=packets --id=json:/i; --id has no effect on packets",
                "--time=json:/at; --time has no effect on packets, whose fields are known: leave it"
                        + " out, or say with --id where the id of other records is",
                "--id=key --count-by=service; --count-by is for packets",
                "--id=key --time=processing; --time processing has no meaning here",
                "--id=key --on-unreadable=forward; --on-unreadable forward has no effect",
                "--id=key --tombstones=forward; --tombstones has no effect but with drop",
                "--id=key --tombstones=id-of-key; --tombstones has no effect but with drop",
                "--id=key --time-zone=UTC; --time-zone has no effect with --time event",
                "--id=key --multiplicity=avro:/n; a field in Avro needs --schema-registry",
                "--id=key --multiplicity=nowhere; --multiplicity: ",
                "--id=key --bounded --discovery-interval=1s; --discovery-interval has no effect",
                "--id=key --input-topic-pattern=.*; give either --input-topic",
            })
    void whatDoesNotApplyIsRefusedByName(String options, String message) {
        List<String> given = new ArrayList<>(List.of(options.split(" ")));
        given.add("--peer=west");
        given.add("--input-topic=t");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(given.toArray(String[]::new)))
                .withMessageStartingWith(message.strip());
    }

    @Test
    void aPatternMustNotMatchWhatIsWritten() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> parse("--peer=west", "--id=key", "--input-topic-pattern=reconcile.*"))
                .withMessageStartingWith("--prefix with -east-digest must not name a topic");
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
    void oneNameAloneIsRefusedBeforeItsTopicsAreNamed() {
        for (String name : List.of("--replica=east", "--peer=east")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () ->
                                    ReconcileOptions.parse(
                                            List.of("--bootstrap-servers=here:9092", name)))
                    .withMessageContaining("two different names");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> CountersOptions.parse("--bootstrap-servers=here:9092", name))
                    .withMessageContaining("two different names");
        }
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
