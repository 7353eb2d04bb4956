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
import org.junit.jupiter.api.Test;

/** Verification that continues with a longer window, or after the filter was cut short. */
class VerifyLongerWindowTest {

    private static final long CLOCK = 1_500;

    /** Ids of each ms from 0 to the clock; odd ones are new later. */
    private static final int IDS_PER_MILLI = 4;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private final Subtasks<Long, Long, Long> stream =
            DeduplicateFixture.subtasks(16, Backends.HASHMAP);

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private static long id(long time, int i) {
        return 2 * (time * IDS_PER_MILLI + i);
    }

    /** Its window began at 500, while the filters still hold some of what is older. */
    private void runInAShortWindow() throws Exception {
        fixture.onLate = OnLate.sideOutput(LATE);
        stream.start(2, fixture.verified());
        for (long time = 0; time < CLOCK; time++) {
            for (int i = 0; i < IDS_PER_MILLI; i++) {
                assertThat(stream.process(id(time, i), time)).hasSize(1);
            }
            stream.watermark(time);
        }
        stream.watermark(CLOCK);
        stream.snapshot();
    }

    /** Two windows later the exact state has forgotten too. */
    private void forgetAll() throws Exception {
        stream.watermark(CLOCK + 2 * fixture.window.toMillis());
        stream.snapshot();
    }

    @Test
    void ofWhatTheShorterWindowForgotNothingPassesAsNew() throws Exception {
        runInAShortWindow();
        forgetAll();
        fixture.window = Duration.ofSeconds(10);
        stream.start(3, fixture.verified());
        long late = 0;
        for (long time = 0; time < 500; time++, late++) {
            assertThat(stream.process(id(time, 0), time)).as("time %s", time).isEmpty();
        }
        assertThat(stream.sideOutput(LATE)).as("nobody knows").hasSize((int) late);
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isEqualTo(late);
        assertThat(stream.counter(DeduplicateMetrics.RESCUED)).isZero();
    }

    @Test
    void whatTheShorterWindowKnewIsExactInTheLongerOne() throws Exception {
        runInAShortWindow();
        fixture.window = Duration.ofSeconds(10);
        stream.start(3, fixture.verified());
        for (long clock : new long[] {CLOCK, 4_000, 10_500}) {
            stream.watermark(clock);
            int i = (int) (clock % 3);
            for (long time = 500; time < CLOCK; time++) {
                assertThat(stream.process(id(time, i), time)).as("%s at %s", time, clock).isEmpty();
                long fresh = id(time, 0) + 1 + 1_000_000 * clock;
                assertThat(stream.process(fresh, time)).containsExactly(fresh);
                assertThat(stream.process(fresh, time)).isEmpty();
            }
        }
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
    }

    @Test
    void aSecondRestoreStillKnowsWhatTheFirstWindowForgot() throws Exception {
        runInAShortWindow();
        forgetAll();
        fixture.window = Duration.ofSeconds(10);
        stream.start(1, fixture.verified());
        stream.snapshot();
        stream.start(2, fixture.verified());
        assertThat(stream.process(id(499, 0), 499)).isEmpty();
        assertThat(stream.sideOutput(LATE)).containsExactly(id(499, 0));
    }

    @Test
    void afterARestoreNoNewRecordIsLateThoughTheFilterWasCutShort() throws Exception {
        fixture.window = Duration.ofDays(1);
        fixture.fpp = 1e-12;
        fixture.idsPerSecond = 1;
        fixture.memory = MemorySize.ofMebiBytes(1);
        fixture.shadowIds = 0;
        fixture.overflow = OverflowPolicy.FORGET_OLDEST;
        fixture.onLate = OnLate.sideOutput(LATE);
        stream.start(1, fixture.verified());
        long ids = 140_000;
        for (long id = 0; id < ids; id++) {
            stream.process(2 * id, 1000 + id);
        }
        stream.watermark(1000 + ids);
        assertThat(stream.gauge(0, DeduplicateMetrics.IDS_HELD, Long.class))
                .isLessThan(ids - 10_000);
        stream.snapshot();
        stream.start(1, fixture.verified());
        stream.watermark(1000 + ids);
        for (long id = 0; id < 10_000; id++) {
            assertThat(stream.process(2 * id + 1, 1000 + id)).containsExactly(2 * id + 1);
            assertThat(stream.process(2 * id + 1, 1000 + id)).isEmpty();
            assertThat(stream.process(2 * id, 1000 + id)).isEmpty();
        }
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
    }
}
