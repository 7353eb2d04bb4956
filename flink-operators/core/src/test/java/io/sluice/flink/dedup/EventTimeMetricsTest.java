/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the metrics say about event time; {@code EventTimeWatchTest} has the rules. */
class EventTimeMetricsTest {

    private static final long START = 1_000_000_000_000L;
    private static final long IN_A_YEAR = START + Duration.ofDays(365).toMillis();

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private final Subtasks<Long, Long, Long> stream =
            DeduplicateFixture.subtasks(64, Backends.HASHMAP);

    private long now = START;

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private void start(boolean verified) throws Exception {
        stream.processingTime(now);
        stream.start(1, verified ? fixture.verified() : fixture.filter());
    }

    private long stalled() throws Exception {
        return gauge(DeduplicateMetrics.WATERMARK_STALLED_MILLIS);
    }

    private long ahead() throws Exception {
        return gauge(DeduplicateMetrics.WATERMARK_AHEAD_MILLIS);
    }

    private long gauge(String name) throws Exception {
        now += 5000;
        return stream.gauge(0, name, Long.class);
    }

    private void aMinuteOfRecords() throws Exception {
        for (int i = 0; i < 70; i++) {
            now += 1000;
            stream.processingTime(now);
            stream.process(now, now);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theMetricsSayThatEventTimeStandsStill(boolean verified) throws Exception {
        start(verified);
        aMinuteOfRecords();
        assertThat(stalled()).isEqualTo(now - START);
        stream.watermark(now);
        assertThat(stalled()).isZero();
        long moved = now - 5000;
        aMinuteOfRecords();
        assertThat(stalled()).isEqualTo(now - moved);
        assertThat(ahead()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theMetricsSayThatEventTimeHasRunAhead(boolean verified) throws Exception {
        start(verified);
        for (long id = 0; id < 2000; id++) {
            stream.process(id, START);
        }
        stream.watermark(START);
        assertThat(ahead()).isZero();
        stream.watermark(IN_A_YEAR);
        assertThat(ahead()).isEqualTo(IN_A_YEAR - now);

        stream.snapshot();
        start(verified);
        stream.watermark(now);
        assertThat(ahead()).as("of the restored clock").isEqualTo(IN_A_YEAR - now);

        fixture.resetClock = true;
        start(verified);
        stream.watermark(now);
        assertThat(ahead()).isZero();
    }
}
