/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.peer.Peers;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every benchmark runs for every kind, as briefly as possible, in this process. */
class JmhBenchmarksTest {
    private static final int SLOTS = 1 << 17;

    private static Collection<RunResult> run(String benchmark, String parameter, String... values)
            throws RunnerException {
        return run(
                new OptionsBuilder()
                        .include("Benchmark.*" + benchmark + "$")
                        .param("slots", Integer.toString(SLOTS))
                        .param("load", "0.95")
                        .param(parameter, values));
    }

    private static Collection<RunResult> run(ChainedOptionsBuilder chosen) throws RunnerException {
        var options =
                chosen.forks(0)
                        .warmupIterations(0)
                        .measurementIterations(2)
                        .measurementTime(TimeValue.milliseconds(1))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build();
        return new Runner(options).run();
    }

    private static double secondary(RunResult result, String name) {
        return result.getSecondaryResults().get(name).getScore();
    }

    @Test
    void lookupsOfEveryKindAreTimedWithTheirPrice() throws RunnerException {
        Collection<RunResult> results = run("contains", "hits", "50");
        assertThat(results).hasSizeGreaterThanOrEqualTo(9);
        for (RunResult result : results) {
            String kind = result.getParams().getParam("kind");
            assertThat(result.getPrimaryResult().getScore()).as(kind).isPositive();
            assertThat(secondary(result, "bitsPerKey")).as(kind).isBetween(8.0, 400.0);
            double fpp = secondary(result, "fppPerMillion") / 1e6;
            switch (kind) {
                case "fastutilSet" -> assertThat(fpp).isZero();
                case "guavaBloom" -> assertThat(fpp).isBetween(0.003, 0.005);
                default -> assertThat(fpp).as(kind).isBetween(0.0, 0.1);
            }
        }
    }

    @Test
    void additionsAndInsertionsEndWithinTheCapacityOfEveryKind() throws RunnerException {
        for (String change : List.of("insert", "addIfAbsent")) {
            for (RunResult result : run(change, "from", "0", "0.9")) {
                assertThat(result.getPrimaryResult().getScore())
                        .as(result.getParams().getParam("kind"))
                        .isPositive();
            }
        }
    }

    @Test
    void aLoadAtWhichCuckooFiltersLoseKeysIsRefused() {
        Filled filled = new Filled();
        filled.kind = "fastfilterCuckoo16";
        filled.slots = 1024;
        filled.fpp = Peers.FPP;
        filled.load = 0.99;
        assertThatThrownBy(filled::create)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0.95")
                .hasMessageContaining("0.99");
    }

    @Test
    void removalIsTimedForKindsThatCan() throws RunnerException {
        String[] kinds = {
            "fastutilSet",
            "cuckoofilter4j",
            "commonsCountingBloom",
            "quotient",
            "countingCuckoo12OffHeap"
        };
        Collection<RunResult> results = run("remove", "kind", kinds);
        // From an empty structure on, there is nothing to remove.
        assertThat(results).hasSize(4 * kinds.length);
        for (RunResult result : results) {
            assertThat(result.getPrimaryResult().getScore()).isPositive();
        }
        assertThatThrownBy(() -> run("remove", "kind", "guavaBloom"))
                .isInstanceOf(RunnerException.class);
    }
}
