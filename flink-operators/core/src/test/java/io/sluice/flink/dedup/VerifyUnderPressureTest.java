/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static io.sluice.flink.dedup.DeduplicateFixture.LATE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.Backends;
import io.sluice.flink.OnLate;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Verification when the filter has forgotten ids inside the window for lack of memory. */
class VerifyUnderPressureTest {

    private static final long IDS = 140_000;
    private static final long FORGOTTEN = 10_000;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private final Subtasks<Long, Long, Long> stream =
            DeduplicateFixture.subtasks(4, Backends.HASHMAP);

    @BeforeEach
    void flood() throws Exception {
        fixture.window = Duration.ofDays(1);
        fixture.fpp = 1e-12;
        fixture.idsPerSecond = 1;
        fixture.memory = MemorySize.ofMebiBytes(1);
        fixture.shadowIds = 0;
        fixture.overflow = OverflowPolicy.FORGET_OLDEST;
        fixture.onLate = OnLate.sideOutput(LATE);
        stream.start(1, fixture.verified());
        // Even ids: the odd ones are new.
        long passed = 0;
        for (long id = 0; id < IDS; id++) {
            passed += stream.process(2 * id, 1000 + id).size();
        }
        assertThat(passed).isEqualTo(IDS);
        assertThat(stream.gauge(0, DeduplicateMetrics.OVERFLOWS, Long.class)).isPositive();
        assertThat(stream.gauge(0, DeduplicateMetrics.IDS_HELD, Long.class))
                .as("the filter alone no longer knows the first")
                .isLessThan(IDS - FORGOTTEN);
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    @Test
    void anIdThatTheFilterForgotEarlyIsStillADuplicate() throws Exception {
        stream.watermark(1000 + IDS);
        theForgottenAreDuplicates();
    }

    @Test
    void anIdThatTheFilterForgotBeforeARestoreIsStillADuplicate() throws Exception {
        stream.watermark(1000 + IDS);
        stream.snapshot();
        stream.start(3, fixture.verified());
        theForgottenAreDuplicates();
    }

    private void theForgottenAreDuplicates() throws Exception {
        for (long id = 0; id < FORGOTTEN; id++) {
            long time = id % 2 == 0 ? 1000 + id : 1000 + IDS;
            assertThat(stream.process(2 * id, time)).isEmpty();
        }
        assertThat(stream.sideOutput(LATE)).isEmpty();
        assertThat(stream.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(FORGOTTEN);
    }

    @Test
    void aNewRecordOlderThanWhatTheFilterCoversIsNotLate() throws Exception {
        stream.watermark(1000 + IDS);
        for (long id = 0; id < FORGOTTEN; id++) {
            assertThat(stream.process(2 * id + 1, 1000 + id)).containsExactly(2 * id + 1);
            assertThat(stream.process(2 * id + 1, 1000 + id)).isEmpty();
        }
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
    }

    @Test
    void aRecordOlderThanTheWindowIsLateAllTheSame() throws Exception {
        stream.watermark(1000 + Duration.ofDays(1).toMillis());
        assertThat(stream.process(1L, 999)).isEmpty();
        assertThat(stream.sideOutput(LATE)).containsExactly(1L);
    }
}
