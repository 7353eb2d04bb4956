/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.job.JobArguments;
import io.sluice.job.KafkaJobOptions;
import io.sluice.job.counters.CountersOptions;
import io.sluice.job.dedup.DedupOptions;
import io.sluice.job.flows.FlowsOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LocalHeapTest {
    private static final String[] DEDUP = {
        "--bootstrap-servers=a:1", "--input-topic=orders", "--within=1 h"
    };

    private final List<String> notes = new ArrayList<>();

    @Test
    void withoutAParallelismThereAreAsManySubtasksAsProcessorsIfTheyFit() {
        assertThat(parallelism(2048, 2, dedup())).isEqualTo(2);
        assertThat(notes).isEmpty();
    }

    @Test
    void withoutAParallelismThereAreAsManySubtasksAsFitAndTheUserIsTold() {
        assertThat(parallelism(2048, 16, dedup())).isEqualTo(4);
        assertThat(notes).hasSize(1);
        assertThat(notes.get(0))
                .contains("--parallelism is 4", "a heap of 2 gb (of 384 mb each)", "--heap");
    }

    @Test
    void aParallelismThatDoesNotFitIsRefusedWithTheOptionsThatMendIt() {
        assertThat(parallelism(2048, 2, dedup("--parallelism=4"))).isEqualTo(4);
        assertThatThrownBy(() -> parallelism(2048, 2, dedup("--parallelism=5")))
                .hasMessageContainingAll(
                        "--parallelism 5 does not fit",
                        "384 mb (--memory, and 128 mb",
                        "its heap is 2 gb",
                        "give it more with --heap, or lower --memory or --parallelism");
    }

    @Test
    void aHeapThatIsTooSmallForOneSubtaskIsRefused() {
        assertThat(parallelism(640, 2, dedup())).isEqualTo(1);
        assertThatThrownBy(() -> parallelism(639, 2, dedup()))
                .hasMessageContaining("--parallelism 1 does not fit");
        assertThatThrownBy(() -> parallelism(1, 2, dedup())).hasMessageContaining("--heap");
        assertThatThrownBy(() -> parallelism(2048, 2, dedup("--memory=8 eb")))
                .hasMessageContaining("--memory");
    }

    @Test
    void theMemoryOfEveryJobCounts() {
        assertThat(parallelism(2048, 16, dedup("--memory=1 gb"))).isEqualTo(1);
        DedupOptions forever =
                JobArguments.parse(
                        new DedupOptions(),
                        "--bootstrap-servers=a:1",
                        "--input-topic=orders",
                        "--forever",
                        "--memory=1 gb");
        assertThat(parallelism(2048, 16, forever)).isEqualTo(14);
        CountersOptions counters =
                CountersOptions.parse("--bootstrap-servers=a:1", "--memory=1 gb");
        assertThat(parallelism(2048, 16, counters)).isEqualTo(1);
        FlowsOptions flows =
                JobArguments.parse(new FlowsOptions(), "--bootstrap-servers=a:1", "--memory=1 gb");
        assertThat(parallelism(2048, 16, flows)).isEqualTo(1);
    }

    private int parallelism(long mebibytes, int processors, KafkaJobOptions options) {
        return new LocalHeap(mebibytes << 20).parallelism(options, processors, notes::add);
    }

    private static DedupOptions dedup(String... more) {
        return JobArguments.parse(
                new DedupOptions(),
                Stream.concat(Stream.of(DEDUP), Stream.of(more)).toArray(String[]::new));
    }
}
