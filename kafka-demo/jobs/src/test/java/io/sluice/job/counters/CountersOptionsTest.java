/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.plane.Layout;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CountersOptionsTest {

    private static CountersOptions parse(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--bootstrap-servers=here:9092"));
        arguments.addAll(List.of(more));
        return CountersOptions.parse(arguments);
    }

    /** The counters of the job that the command line describes. */
    private static StreamOperatorFactory<?> counters(String... more) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        CountersJob.define(env, parse(more));
        return env.getStreamGraph().getStreamNodes().stream()
                .filter(node -> Objects.equals(node.getTransformationUID(), "counters"))
                .map(StreamNode::getOperatorFactory)
                .findFirst()
                .orElseThrow();
    }

    private static WindowSettings settings(StreamOperatorFactory<?> counters) {
        return (WindowSettings) value(counters, "operator.seen.settings");
    }

    private static Object value(Object of, String path) {
        return assertThat(of).extracting(path).actual();
    }

    @Test
    void theFilterOfTheJobIsWhatTheCommandLineSays() {
        var counters =
                counters(
                        "--fpp=1e-4", "--max-fpp=2e-3", "--layout=fingerprints", "--hash-seed=-77");
        WindowSettings settings = settings(counters);
        assertThat(settings.fpp()).isEqualTo(1e-4);
        assertThat(settings.maxFpp()).isEqualTo(2e-3);
        assertThat(settings.layout()).isEqualTo(Layout.FINGERPRINTS);
        assertThat(value(counters, "operator.hasher.idHasher.hashing.seed")).isEqualTo(-77L);
    }

    @Test
    void withoutTheOptionsTheFilterIsThatOfTheBuilder() {
        var counters = counters();
        assertThat(settings(counters).maxFpp()).isNull();
        assertThat(settings(counters).layout()).isNull();
        assertThat(value(counters, "operator.hasher.idHasher.hashing.seed")).isEqualTo(0L);
    }

    @Test
    void aReplicaAgreesWithItsPeerAndItsCountersAreCorrected() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        CountersJob.define(env, parse("--replica=east", "--peer=west", "--agree-groups=4"));
        List<String> uids =
                env.getStreamGraph(false).getStreamNodes().stream()
                        .map(StreamNode::getTransformationUID)
                        .filter(Objects::nonNull)
                        .toList();
        assertThat(uids)
                .contains("agree", "agree-missed", "agree-messages", "peer", "write-reports");
        StreamNode counters =
                env.getStreamGraph(false).getStreamNodes().stream()
                        .filter(node -> Objects.equals(node.getTransformationUID(), "counters"))
                        .findFirst()
                        .orElseThrow();
        assertThat(counters.getInEdges()).hasSize(2);
    }

    @Test
    void aReplicaWritesTopicsOfItsOwn() {
        assertThat(parse("--replica=east", "--peer=west", "--agree-prefix=a").outputTopics())
                .containsValues("a-east-digest", "a-east-symbols", "a-east-reports");
        assertThat(parse("--replica=east", "--peer=west", "--output-topic=views").outputTopics())
                .as("two jobs have topics of their own")
                .containsValue("views-agree-east-digest");
        assertThat(parse().outputTopics().values()).noneMatch(topic -> topic.contains("digest"));
    }

    @Test
    void whatLeavesReplicasNothingToAgreeOnIsRefused() {
        assertRefused("--replica", "--no-filter", "exclude", both("--no-filter"));
        assertRefused("--replica", "--peer", "not given", "--replica=east");
        assertRefused("--peer-bootstrap", "--replica", "--peer", "--peer-bootstrap=there:9092");
        assertRefused("--agree-window", "0", "at least 1 ms", both("--agree-window=0 s"));
        assertRefused("--resume-within", "-1", "", both("--resume-within=-1 s"));
        assertRefused("--resume-within", "--within", "longer", both("--resume-within=1 h"));
        assertRefused("--within", "6 min", "--agree-ttl", both("--within=6 min"));
        assertRefused("--agree-window", "--replica", "no effect", "--agree-window=1 min");
        assertRefused("--agree-prefix", "--replica", "no effect", "--agree-prefix=a");
        assertRefused(
                "--parallelism",
                "--agree-groups",
                "but is 5",
                both("--agree-groups=4", "--parallelism=5"));
        assertRefused(
                "--replica",
                "--time processing",
                "event time",
                both("--input-topic=a", "--counter=key", "--id=header:id", "--time=processing"));
    }

    @Test
    void valuesInAvroNeedARegistryAndRecordsOfAnyKind() {
        String[] avro = {"--output-format=avro", "--input-topic=a", "--counter=key", "--id=value"};
        assertRefused("--output-format avro", "needs --schema-registry URL", "", avro);
        assertRefused("--output-format avro", "records of any kind", "", "--output-format=avro");
        assertRefused(
                "--schema-registry",
                "no effect without a field in Avro",
                "",
                "--input-topic=a",
                "--counter=key",
                "--id=value",
                "--schema-registry=http://here:8081");
    }

    private static String[] both(String... more) {
        return Stream.concat(Stream.of("--replica=east", "--peer=west"), Stream.of(more))
                .toArray(String[]::new);
    }

    private static void assertRefused(String option, String value, String bound, String... all) {
        assertThatThrownBy(() -> parse(all))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(option, value, bound);
    }

    @Test
    void errorsNameTheOptionTheBoundAndTheValue() {
        assertRefused("--fpp", "0.5", "at most 0.25", "--fpp=0.5");
        assertRefused("--fpp", "NaN", "at least 1.0E-12", "--fpp=NaN");
        assertRefused("--max-fpp", "1.0E-9", "at least --fpp", "--fpp=1e-6", "--max-fpp=1e-9");
        assertRefused("--max-fpp", "1.0", "below 1", "--max-fpp=1");
        assertRefused("--max-fpp", "much", "double", "--max-fpp=much");
        assertRefused("--layout", "sorted", "FINGERPRINTS, QUOTIENT", "--layout=sorted");
        assertRefused("--layout", "blocked", "FINGERPRINTS, QUOTIENT", "--layout=blocked");
        assertRefused("--hash-seed", "secret", "long", "--hash-seed=secret");
        assertRefused("--within", "0 ms", "at least 1 ms", "--within=0s");
    }

    @Test
    void optionsThatExcludeEachOtherAreRefused() {
        assertThatThrownBy(
                        () ->
                                CountersOptions.parse(
                                        "--bootstrap-servers=b:1",
                                        "--input-topic=same",
                                        "--output-topic=same"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--output-topic")
                .hasMessageContaining("'same'");
        assertThatThrownBy(
                        () ->
                                CountersOptions.parse(
                                        "--bootstrap-servers=b:1",
                                        "--checkpoint-interval=1h",
                                        "--transaction-timeout=1min"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--transaction-timeout");
    }

    private static void assertTold(String message, String... all) {
        assertThatThrownBy(() -> parse(all))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void recordsOfAnyKindNeedCounterIdAndTopic() {
        assertTold("--id is missing", "--input-topic=t", "--counter=json:/p");
        assertTold("give either --input-topic TOPIC or", "--counter=json:/p", "--id=json:/r");
        assertTold("--counter is missing", "--input-topic=t", "--format=fields");
        assertTold("or --format packets", "--input-topic=t", "--format=fields");
        assertTold(
                "--counter: 'page' is not a field",
                "--input-topic=t",
                "--counter=page",
                "--id=json:/r");
        assertTold(
                "--delta: 'n' is not a field",
                "--input-topic=t",
                "--counter=json:/p",
                "--id=json:/r",
                "--delta=n");
        assertTold(
                "a field in Avro needs --schema-registry",
                "--input-topic=t",
                "--counter=avro:/p",
                "--id=json:/r");
    }

    private static String[] with(String[] options, String... more) {
        return Stream.concat(Stream.of(options), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void topicsMayBeThoseThatMatchAPattern() {
        String[] fields = {"--counter=json:/p", "--id=json:/r", "--input-topic-pattern=o-.*"};
        assertThat(parse(fields).topicsToRead().contains("o-1")).isTrue();
        assertThat(parse(fields).topicsToRead().contains("packets")).isFalse();
        assertThat(parse("--input-topic-pattern=o-.*").topicsToRead().contains("packets"))
                .as("packets of other topics than theirs")
                .isFalse();
        assertThat(parse().topicsToRead().contains("packets")).isTrue();
        assertTold("give either", with(fields, "--input-topic=t"));
        assertTold(
                "--output-topic must not name a topic that is read, but is 'o-1'",
                with(fields, "--output-topic=o-1"));
        assertThat(
                        parse(
                                        with(
                                                fields,
                                                "--output-topic=o-1",
                                                "--output-bootstrap-servers=there:9092"))
                                .outputTopic())
                .isEqualTo("o-1");
    }

    @Test
    void theClockIsTheOneThatIsAskedFor() {
        String[] fields = {"--input-topic=t", "--counter=json:/p", "--id=json:/r"};
        assertThat(settings(counters(fields)).timeDomain()).isEqualTo(TimeDomain.EVENT);
        List<String> processing = new ArrayList<>(List.of(fields));
        processing.add("--time=processing");
        CountersOptions options = parse(processing.toArray(String[]::new));
        assertThat(options.layout().needsTime()).isFalse();
        assertThat(options.driftMillis()).isZero();
        assertThat(settings(counters(processing.toArray(String[]::new))).timeDomain())
                .isEqualTo(TimeDomain.PROCESSING);
    }

    @Test
    void valuesAreReadToTheirEndUnlessSaidOtherwise() {
        String[] fields = {"--input-topic=t", "--counter=json:/p", "--id=json:/r"};
        assertThat(parse(fields).layout().strict()).isTrue();
        List<String> all = new ArrayList<>(List.of(fields));
        all.add("--no-strict");
        assertThat(parse(all.toArray(String[]::new)).layout().strict()).isFalse();
        all.set(all.size() - 1, "--strict");
        assertThat(parse(all.toArray(String[]::new)).layout().strict()).isTrue();
    }

    @Test
    void whatDoesNotApplyIsRefusedByName() {
        for (String option :
                List.of(
                        "--id=key",
                        "--time=processing",
                        "--time-unit=s",
                        "--time-zone=UTC",
                        "--tombstones=drop",
                        "--on-unreadable=fail",
                        "--no-strict",
                        "--schema-registry=http://here:1",
                        "--delta=json:/n")) {
            String name = option.replace("--no-", "--").replaceAll("=.*", "");
            assertTold(name + " has no effect on packets", option);
        }
        assertTold("--counter has no effect on packets", "--format=packets", "--counter=key");
        String[] fields = {"--input-topic=t", "--counter=json:/p", "--id=json:/r"};
        for (String[] refused :
                new String[][] {
                    {"--count-by is for packets", "--count-by=source"},
                    {"--on-unreadable forward has no effect", "--on-unreadable=forward"},
                    {"--tombstones has no effect but with drop", "--tombstones=forward"},
                    {"--time-zone has no effect with --time event", "--time-zone=UTC"},
                }) {
            List<String> all = new ArrayList<>(List.of(fields));
            all.add(refused[1]);
            assertTold(refused[0], all.toArray(String[]::new));
        }
        assertTold(
                "--time-unit has no effect with --time processing",
                "--input-topic=t",
                "--counter=json:/p",
                "--id=json:/r",
                "--time=processing",
                "--time-unit=s");
    }

    @Test
    void helpNamesTheOptionsAndTheirDefaults() {
        String help = new CommandLine(new CountersOptions()).getUsageMessage();
        assertThat(help.replaceAll("\\s+", " "))
                .contains("--max-fpp=P", "more than --memory;", "By default ten times --fpp.")
                .contains("--layout=LAYOUT", "One of FINGERPRINTS, QUOTIENT.")
                .contains("--hash-seed=N", "0 is the public one.", "Default: 0.")
                .contains("--within=DURATION", "Default: 10 min.")
                .contains("--expecting=N", "Default: 10000.");
    }

    @Test
    void twoPhasesNeedAnIntervalAndAFilter() {
        assertThatThrownBy(() -> parse("--two-phases", "--emit-every=0"))
                .hasMessageContainingAll("--two-phases", "--emit-every is 0");
        assertThatThrownBy(() -> parse("--two-phases", "--no-filter"))
                .hasMessageContainingAll("--two-phases", "--no-filter");
    }

    @Test
    void countersInTwoPhasesAreComparedWithThoseOfOneWithoutFilter() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        CountersJob.define(env, parse("--two-phases", "--compare-topic=all"));
        assertThat(
                        env.getStreamGraph().getStreamNodes().stream()
                                .map(StreamNode::getTransformationUID))
                .contains("counters-operations", "counters", "compare-unfiltered");
    }
}
