/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.ReportTestCase;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DedupBesideStreamsIT extends ReportTestCase {
    private static final int IDS = 20_000;

    /** The exit code is 0 only if each id of each output is there once, after every restart. */
    @Test
    void bothCopyEachIdOnceThroughTheirRestarts() throws Exception {
        assertThat(run(new KafkaCommand(), "--only", "streams", "--ids", "" + IDS)).isZero();

        Map<String, Double> figures = figures("kafka");
        String prefix = "kafka.streams." + IDS + '.';
        assertThat(figures)
                .containsOnlyKeys(
                        prefix + "dedup.perSecond",
                        prefix + "dedup.checkpointBytes",
                        prefix + "dedup.restartMillis",
                        prefix + "dedup.latencyMedianMillis",
                        prefix + "dedup.latencyP99Millis",
                        prefix + "streams.perSecond",
                        prefix + "streams.stateBytes",
                        prefix + "streams.changelogBytes",
                        prefix + "streams.restartMillis",
                        prefix + "streams.latencyMedianMillis",
                        prefix + "streams.latencyP99Millis",
                        prefix + "streams.restartKilledMillis",
                        prefix + "streams.restartWipedMillis");
        assertThat(figures.values()).allMatch(value -> value > 0);
        for (String program : List.of("dedup", "streams")) {
            assertThat(figures.get(prefix + program + ".latencyP99Millis"))
                    .isGreaterThanOrEqualTo(figures.get(prefix + program + ".latencyMedianMillis"));
        }
        // An id and its time at least.
        assertThat(figures.get(prefix + "streams.stateBytes")).isGreaterThan(IDS * 10);
        assertThat(figures.get(prefix + "streams.changelogBytes")).isGreaterThan(IDS * 10);
        assertTables("kafka-streams.csv");
    }

    @Test
    void tooFewIdsAreRefused() {
        assertThatThrownBy(() -> run(new KafkaCommand(), "--only", "streams", "--ids", "1000,999"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--ids must be from 1000");
    }
}
