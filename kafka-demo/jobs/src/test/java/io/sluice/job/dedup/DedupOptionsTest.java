/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.flink.WindowedOptions;
import io.sluice.state.CascadeBackendOptions;
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

    /** A duplicate may pass, but no new record is dropped beyond the probability. */
    @Test
    void forEverTheWindowGivesWayAndNotTheProbability() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        DedupJob.define(env, parse("--forever"));
        assertThat(env.getConfiguration().get(CascadeBackendOptions.OVERFLOW_POLICY))
                .isEqualTo("forget-oldest");
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
}
