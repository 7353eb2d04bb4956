/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.Backends;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Missing and wild timestamps. */
class EventTimeEdgesTest {

    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long IN_A_YEAR = Duration.ofDays(365).toMillis();

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private final Subtasks<Long, Long, Long> stream =
            DeduplicateFixture.subtasks(64, Backends.HASHMAP);

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private void start(boolean verified) throws Exception {
        stream.start(1, verified ? fixture.verified() : fixture.filter());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTimestampThatSourcesGiveForNoneIsRefusedInEventTime(boolean verified) throws Exception {
        start(verified);
        assertThatThrownBy(() -> stream.process(1L, Long.MIN_VALUE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        "operator under test", "no timestamp", "timeDomain(PROCESSING)");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTimestampAheadOfWatermarkAndWallClockIsBelievedUpToAnHourByDefault(boolean verified)
            throws Exception {
        start(verified);
        stream.watermark(10_000);
        assertThat(stream.process(1L, IN_A_YEAR)).containsExactly(1L);
        assertThat(stream.process(2L, 10_000 + HOUR)).containsExactly(2L);
        assertThat(stream.counter(DeduplicateMetrics.FUTURE)).isEqualTo(1);

        long end = 10_000 + HOUR + fixture.window.toMillis();
        stream.watermark(end);
        assertThat(stream.process(1L, IN_A_YEAR)).isEmpty();
        stream.watermark(end + fixture.window.toMillis() + 1);
        assertThat(stream.process(1L, IN_A_YEAR)).containsExactly(1L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void idsWithTimestampsAYearAheadHoldNoOtherIdBeyondItsWindow(boolean verified)
            throws Exception {
        long window = fixture.window.toMillis();
        start(verified);
        int passed = 0;
        for (long id = 0; id < 2_000; id++) {
            long now = 10_000 + id * window / 100;
            stream.watermark(now);
            assertThat(stream.process(-1 - id, IN_A_YEAR)).containsExactly(-1 - id);
            passed += stream.process(id, now).size();
            if (id >= 400) {
                passed += stream.process(id - 400, now).size();
            }
            if (id == 1_000) {
                stream.snapshot();
                start(verified);
            }
        }
        assertThat(passed).as("new ids").isBetween(2_000 + 1_600 - 5, 2_000 + 1_600);
    }

    /** Every key group's clock is a year ahead. */
    private void poison(boolean verified) throws Exception {
        start(verified);
        stream.watermark(10_000);
        for (long id = 1_000; id < 3_000; id++) {
            stream.process(id, 10_000);
        }
        stream.watermark(IN_A_YEAR);
        stream.process(2L, 10_100);
        stream.snapshot();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRestoreWithResetClockRecognisesDuplicatesAgain(boolean verified) throws Exception {
        poison(verified);
        fixture.resetClock = true;
        start(verified);
        stream.watermark(10_200);
        assertThat(stream.process(7L, 10_200)).containsExactly(7L);
        for (int copy = 0; copy < 5; copy++) {
            assertThat(stream.process(7L, 10_200)).isEmpty();
        }
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
        stream.watermark(11_201);
        assertThat(stream.process(7L, 11_201)).as("it forgets again").containsExactly(7L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterResetClockNothingIsLateForWhatWasForgottenUnderTheClockThatRanAhead(boolean verified)
            throws Exception {
        fixture.memory = MemorySize.ofMebiBytes(1);
        fixture.overflow = OverflowPolicy.FORGET_OLDEST;
        start(verified);
        stream.watermark(IN_A_YEAR);
        for (long id = 1_000; id < 100_000; id++) {
            stream.process(id, IN_A_YEAR + 1);
        }
        stream.watermark(IN_A_YEAR + 2);
        assertThat(stream.gaugeSum(DeduplicateMetrics.OVERFLOWS)).isPositive();
        stream.snapshot();
        fixture.resetClock = true;
        start(verified);
        stream.watermark(10_000);
        stream.watermark(10_300);
        assertThat(stream.process(7L, 10_200)).containsExactly(7L);
        assertThat(stream.process(7L, 10_200)).isEmpty();
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRestoreWithoutResetClockKeepsTheClock(boolean verified) throws Exception {
        poison(verified);
        start(verified);
        stream.watermark(10_200);
        assertThat(stream.process(7L, 10_200)).containsExactly(7L);
        assertThat(stream.process(8L, 10_200)).containsExactly(8L);
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsHeldStaysHeldWhenTheClockIsReset(boolean verified) throws Exception {
        start(verified);
        stream.watermark(10_000);
        stream.process(1L, 10_000);
        stream.watermark(10_900);
        stream.snapshot();
        fixture.resetClock = true;
        start(verified);
        assertThat(stream.process(1L, 10_000)).as("before the first watermark").isEmpty();
        stream.watermark(10_100);
        assertThat(stream.process(1L, 10_100)).isEmpty();
        stream.watermark(11_000);
        assertThat(stream.process(1L, 11_000)).isEmpty();
        stream.watermark(11_001);
        assertThat(stream.process(1L, 11_001)).containsExactly(1L);
    }

    private void assertLeavesNothing(long now) throws Exception {
        var harness = stream.harnesses().get(0);
        assertThat(harness.numKeyedStateEntries()).isEqualTo(1);
        stream.watermark(now + HOUR + 2 * fixture.window.toMillis());
        assertThat(harness.numKeyedStateEntries()).isEqualTo(1);
        stream.watermark(now + HOUR + 2 * fixture.window.toMillis() + 1);
        assertThat(harness.numKeyedStateEntries()).isZero();
        assertThat(harness.numEventTimeTimers()).isZero();
    }

    @Test
    void aWildTimestampFromBeforeTheFirstWatermarkLeavesTheExactStateToo() throws Exception {
        start(true);
        assertThat(stream.process(1L, IN_A_YEAR)).containsExactly(1L);
        stream.watermark(10_000);
        assertThat(stream.process(1L, IN_A_YEAR)).isEmpty();
        assertLeavesNothing(0);
    }

    @Test
    void aWildTimestampFromBeforeASavepointWithoutWatermarkLeavesTheExactStateToo()
            throws Exception {
        start(true);
        stream.process(1L, IN_A_YEAR);
        stream.snapshot();
        start(true);
        stream.watermark(10_000);
        assertThat(stream.process(1L, IN_A_YEAR)).isEmpty();
        assertLeavesNothing(0);
    }

    @ParameterizedTest
    @EnumSource(names = {"HASHMAP", "ROCKSDB"})
    void exactStateFromBeforeTheFirstWatermarkHasItsWholeWindow(Backends backend) throws Exception {
        Subtasks<Long, Long, Long> own = DeduplicateFixture.subtasks(64, backend);
        own.start(1, fixture.verified());
        own.process(1L, 9_500);
        own.process(2L, 8_000);
        own.process(3L, Long.MAX_VALUE - 1);
        own.watermark(10_001);
        assertThat(own.harnesses().get(0).numEventTimeTimers()).as("2 is out").isEqualTo(2);
        assertThat(own.process(2L, 10_001)).containsExactly(2L);
        own.watermark(10_500);
        assertThat(own.process(1L, 10_500)).isEmpty();
        own.watermark(10_501);
        assertThat(own.process(1L, 10_501)).containsExactly(1L);
        own.close();
    }

    @Test
    void aClockThatIsResetLeavesNoWildTimeInTheExactState() throws Exception {
        start(true);
        stream.watermark(IN_A_YEAR);
        stream.process(1L, IN_A_YEAR);
        stream.snapshot();
        fixture.resetClock = true;
        start(true);
        stream.watermark(10_000);
        assertThat(stream.process(1L, IN_A_YEAR)).isEmpty();
        assertLeavesNothing(0);
    }
}
