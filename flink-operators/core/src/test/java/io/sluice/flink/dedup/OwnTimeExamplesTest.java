/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The cases that KIP-655 tells apart, "deduplicate" of Kafka Streams with an interval of ten
 * seconds: in order, out of order, and late.
 */
@ParameterizedClass(name = "verified: {0}")
@ValueSource(booleans = {false, true})
class OwnTimeExamplesTest {

    private static final long ID = 7;

    @Parameter boolean verified;

    private final DeduplicateFixture fixture = new DeduplicateFixture();

    private static List<Long> seconds(String text) {
        return Stream.of(text.split(" ")).map(Long::valueOf).toList();
    }

    /** Watermarks follow the greatest time at once, or never come. */
    @ParameterizedTest(name = "of an id at {0} pass {1}")
    @CsvSource({
        "0 10, 0",
        "0 12, 0 12",
        "0 40, 0 40",
        "0 10 20, 0 20",
        "0 20 10, 0 20",
        "10 0, 10",
        "40 0, 40 0",
        "40 0 0, 40 0",
        "40 0 5 20, 40 0 20",
    })
    void theTimesOfTheRecordsDecide(String times, String passing) throws Exception {
        for (boolean watermarks : new boolean[] {false, true}) {
            assertThat(passing(seconds(times), watermarks))
                    .as("watermarks: %s", watermarks)
                    .isEqualTo(seconds(passing));
        }
    }

    private List<Long> passing(List<Long> seconds, boolean watermarks) throws Exception {
        fixture.window = Duration.ofSeconds(10);
        List<Long> passing = new ArrayList<>();
        try (Subtasks<Long, Long, Long> stream = DeduplicateFixture.subtasks(1, Backends.HASHMAP)) {
            stream.processingTime(Duration.ofDays(1).toMillis());
            stream.start(1, verified ? fixture.verified() : fixture.filter());
            long latest = Long.MIN_VALUE;
            for (long second : seconds) {
                if (!stream.process(ID, 1_000 * second).isEmpty()) {
                    passing.add(second);
                }
                latest = Math.max(latest, second);
                if (watermarks) {
                    stream.watermark(1_000 * latest - 1);
                }
            }
        }
        return passing;
    }
}
