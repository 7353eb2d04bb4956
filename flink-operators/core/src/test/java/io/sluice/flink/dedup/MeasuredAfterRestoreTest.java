/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.testkit.Subtasks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What the sample measures after a restore: the filter's errors, not ids that the sample did not
 * see.
 */
class MeasuredAfterRestoreTest {

    private static final long IDS = 20_000;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private final Subtasks<Long, Long, Long> stream =
            DeduplicateFixture.subtasks(16, Backends.HASHMAP);

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private void ids(long from, long to, long timestamp) throws Exception {
        for (long id = from; id < to; id++) {
            stream.process(id, timestamp);
        }
    }

    /** As many old ids as new ones, every millisecond of five windows; the old ones are seen. */
    private void goOn() throws Exception {
        for (long time = 500; time < 5_500; time++) {
            stream.watermark(time);
            long begin = IDS + (time - 500) * 4;
            ids(begin, begin + 4, time);
            ids(begin - 2_000, begin - 1_996, time);
        }
    }

    private void assertNothingWasDroppedOrMissed() throws Exception {
        assertThat(stream.gaugeSum(DeduplicateMetrics.WATCHED_FIRSTS)).isPositive();
        assertThat(stream.gaugeSum(DeduplicateMetrics.WATCHED_DROPPED)).isZero();
        assertThat(stream.gaugeSum(DeduplicateMetrics.WATCHED_MISSED)).isZero();
        assertThat(stream.gauge(0, DeduplicateMetrics.MEASURED_FPP, Double.class)).isZero();
    }

    /**
     * Sends ids once, and, after a restore with another sample or parallelism, again with new ones.
     */
    private void restoreWithin(int idsBefore, int parallelismBefore, int ids, int parallelism)
            throws Exception {
        fixture.shadowIds = idsBefore;
        stream.start(parallelismBefore, fixture.filter());
        ids(0, IDS, 400);
        stream.watermark(450);
        stream.snapshot();
        fixture.shadowIds = ids;
        stream.start(parallelism, fixture.filter());
        ids(0, IDS, 450);
        goOn();
        assertNothingWasDroppedOrMissed();
    }

    @Test
    void samplingThatARestoreSwitchesOnTakesNoOldIdForADroppedOne() throws Exception {
        restoreWithin(0, 2, 1 << 14, 2);
    }

    @Test
    void aSampleThatARestoreMakesDenserTakesNoOldIdForADroppedOne() throws Exception {
        restoreWithin(64, 2, 1 << 14, 2);
    }

    @Test
    void scalingInFromFourToOneTakesNoOldIdForADroppedOne() throws Exception {
        restoreWithin(1_024, 4, 1_024, 1);
    }
}
