/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.flink.WindowedOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;

class DedupOptionsTest {

    private static DedupOptions parse(String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("--bootstrap-servers=here:9092", "--input-topic=orders"));
        arguments.addAll(List.of(more));
        return DedupOptions.parse(arguments.toArray(String[]::new));
    }

    private static double fpp(String... more) {
        return parse(more).operator.get(WindowedOptions.FALSE_POSITIVE_PROBABILITY);
    }

    /** Otherwise the job would start, fail and restart without end. */
    @Test
    void aProbabilityThatNoFilterKeepsForEverIsRefused() {
        assertThat(fpp("--within=1 h", "--fpp=1e-12")).isEqualTo(1e-12);
        assertThat(fpp("--forever", "--fpp=1e-11")).isEqualTo(1e-11);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--forever", "--fpp=1e-12"))
                .withMessageContaining("--fpp must be at least 1.0E-11 with --forever")
                .withMessageContaining("1.0E-12");
    }

    @Test
    void onDiskAWindowIsOfEitherTime() {
        assertThat(parse("--within=30 d", "--time=processing", "--on-disk").isOnDisk()).isTrue();
        assertThat(parse("--within=30 d", "--on-disk", "--on-late=drop").isOnDisk()).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--forever", "--on-disk", "--verify"))
                .withMessageContaining("--verify");
    }

    /** The topics of dead letters and others are named after the output, and longer. */
    @Test
    void aTopicThatKafkaDoesNotTakeIsRefusedByItsOptionAndName() {
        assertThatCode(() -> parse("--within=1 h", "--output-topic=" + "o".repeat(236)))
                .doesNotThrowAnyException();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--within=1 h", "--output-topic=" + "o".repeat(237)))
                .withMessageContaining("--dead-letter-topic must be a name of at most 249 letters")
                .withMessageContaining("o-dead-letters' (250 characters): name another");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--within=1 h", "--output-topic=new orders"))
                .withMessageContaining("--output-topic must be")
                .withMessageContaining("'new orders'");
    }

    /** Ids on disk need no backend of the job. */
    @Test
    void forEverTheStateBackendOfTheJobStaysAsItIs() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        DedupJob.define(env, parse("--forever"));
        assertThat(env.getConfiguration().getOptional(StateBackendOptions.STATE_BACKEND)).isEmpty();
    }

    /** It holds whole records. */
    @Test
    void keepLastIsInRocksDbUnlessFlinkIsConfiguredOtherwise() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        DedupJob.define(env, parse("--within=1 h", "--keep=last"));
        assertThat(env.getConfiguration().get(StateBackendOptions.STATE_BACKEND))
                .isEqualTo("rocksdb");
        Configuration heap = new Configuration();
        heap.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        env = StreamExecutionEnvironment.createLocalEnvironment(heap);
        DedupJob.define(env, parse("--within=1 h", "--keep=last"));
        assertThat(env.getConfiguration().get(StateBackendOptions.STATE_BACKEND))
                .isEqualTo("hashmap");
    }

    private static Set<String> uids(String... more) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        DedupJob.define(env, parse(more));
        Set<String> uids = new HashSet<>();
        for (StreamNode node : env.getStreamGraph(false).getStreamNodes()) {
            uids.add(node.getTransformationUID());
        }
        return uids;
    }

    /** The timers of one clock would never come on the other: what is held would not leave. */
    @Test
    void keepLastReadsNoStateOfTheOtherClock() {
        assertThat(uids("--within=1 h", "--keep=last", "--time=processing"))
                .contains("dedup-keep-last-processing-time")
                .doesNotContain("dedup-keep-last");
        assertThat(uids("--within=1 h", "--keep=last", "--time=json:/created"))
                .contains("dedup-keep-last");
    }

    @Test
    void partitionsAreHeldTogetherByAQuarterOfTheWindowUnlessTheTimeIsThatOfArrival() {
        assertThat(parse("--within=1 h").driftMillis()).isEqualTo(900_000);
        assertThat(parse("--within=1 s").driftMillis()).isEqualTo(10_000);
        assertThat(parse("--within=1 h", "--max-drift=1 min").driftMillis()).isEqualTo(60_000);
        assertThat(parse("--within=1 h", "--max-drift=off").driftMillis()).isZero();
        assertThat(parse("--within=1 h", "--time=processing").driftMillis()).isZero();
        assertThat(parse("--forever").driftMillis()).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--within=1 h", "--max-drift=0 s"))
                .withMessageContaining("--max-drift")
                .withMessageContaining("'off'");
    }

    @Test
    void aBeginningIsAWordOrATimeThatIsPast() {
        assertThat(parse("--within=1 h").from().isEarliest()).isTrue();
        assertThat(parse("--within=1 h", "--from=GROUP-offsets").from())
                .hasToString("group-offsets");
        assertThat(parse("--within=1 h", "--from=2025-04-25T11:44:25+02:00").from())
                .isEqualTo(parse("--within=1 h", "--from=2025-04-25T09:44:25Z").from())
                .hasToString("2025-04-25T09:44:25Z");
        for (String wrong : List.of("", "time", "2025-04-25", "2025-04-25T09:44:25")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> parse("--within=1 h", "--from=" + wrong))
                    .withMessageContaining("'" + wrong + "' is not a beginning: write earliest");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--within=1 h", "--from=2999-01-01T00:00:00Z"))
                .withMessage(
                        "--from must not be in the future, but is 2999-01-01T00:00:00Z: say"
                                + " 'latest' for what comes after the start");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--within=1 h", "--from=latest", "--bounded"))
                .withMessageContaining("--from latest writes what comes after the start")
                .withMessageContaining("--bounded");
    }

    /** Kafka's timestamps are in the unit of the times only if they are the times. */
    @Test
    void aBeginningIsATimestampInTheUnitOfKafkasTimes() {
        Instant time = Instant.parse("2025-04-25T09:44:25.5Z");
        long seconds = time.getEpochSecond();
        assertThat(parse("--within=1 h").timestampOf(time)).isEqualTo(seconds * 1000 + 500);
        assertThat(parse("--within=1 h", "--time-unit=s").timestampOf(time)).isEqualTo(seconds + 1);
        assertThat(parse("--within=1 h", "--time-unit=us").timestampOf(time))
                .isEqualTo(seconds * 1_000_000 + 500_000);
        assertThat(parse("--within=1 h", "--time-unit=ns").timestampOf(time))
                .isEqualTo(seconds * 1_000_000_000 + 500_000_000);
        assertThat(parse("--within=1 h", "--time-unit=s", "--time=json:/t").timestampOf(time))
                .isEqualTo(seconds * 1000 + 500);
    }

    @Test
    void whatConcernsTransactionsIsRefusedWithoutThem() {
        assertThat(parse("--within=1 h").writesInTransactions()).isTrue();
        assertThat(parse("--within=1 h", "--delivery=at-least-once").writesInTransactions())
                .isFalse();
        for (String option :
                List.of(
                        "--transaction-timeout=1 h",
                        "--transactional-id-prefix=mine",
                        "--on-lost-commit=fail")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> parse("--within=1 h", "--delivery=at-least-once", option))
                    .withMessage(
                            option.substring(0, option.indexOf('='))
                                    + " has no effect with --delivery at-least-once: leave it out");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--within=1 h", "--delivery=none"))
                .withMessageContaining("write exactly-once or at-least-once");
    }
}
