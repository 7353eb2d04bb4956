/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.flink.Backends;
import io.sluice.flink.DamagedState;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.function.Supplier;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What survives a restart: the window, whatever the new parallelism and options are. */
class DeduplicateRestoreTest {

    private static final int MAX_PARALLELISM = 100;
    private static final long IDS = 2000;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private Subtasks<Long, Long, Long> stream =
            DeduplicateFixture.subtasks(MAX_PARALLELISM, Backends.HASHMAP);

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private void allAreNew(long from, long to, long timestamp) throws Exception {
        for (long id = from; id < to; id++) {
            assertThat(stream.process(id, timestamp)).containsExactly(id);
        }
    }

    private void allAreSeen(long from, long to, long timestamp) throws Exception {
        for (long id = from; id < to; id++) {
            assertThat(stream.process(id, timestamp)).as("id %s", id).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void keepsTheWindowAtAnyParallelism(Backends backend) throws Exception {
        stream = DeduplicateFixture.subtasks(MAX_PARALLELISM, backend);
        long known = 0;
        int[] parallelisms =
                backend == Backends.HASHMAP
                        ? new int[] {3, 2, 5, 4, 1, 7, 100, 33}
                        : new int[] {3, 2, 5, 4};
        for (int parallelism : parallelisms) {
            stream.start(parallelism, fixture.filter());
            allAreSeen(0, known, 600);
            allAreNew(known, known + 100, 500);
            known += 100;
            stream.snapshot();
        }
    }

    @Test
    void aFailureTakesBackWhatCameAfterTheSnapshot() throws Exception {
        stream.start(2, fixture.filter());
        allAreNew(0, IDS, 100);
        stream.snapshot();
        allAreNew(IDS, 2 * IDS, 100);
        stream.start(2, fixture.filter());
        allAreSeen(0, IDS, 100);
        allAreNew(IDS, 2 * IDS, 100);
    }

    @Test
    void theClockOfTheSnapshotGoesOn() throws Exception {
        stream.start(2, fixture.filter());
        allAreNew(0, IDS, 100);
        stream.watermark(1100);
        stream.snapshot();
        stream.start(3, fixture.filter());
        stream.watermark(500);
        allAreSeen(0, IDS, 1100);
        stream.watermark(2200);
        allAreNew(0, IDS, 2200);
    }

    @Test
    void measurementsGoOn() throws Exception {
        stream.start(2, fixture.filter());
        allAreNew(0, IDS, 100);
        stream.snapshot();
        stream.start(1, fixture.filter());
        allAreNew(IDS, 2 * IDS, 100);
        assertThat(stream.gauge(0, DeduplicateMetrics.WATCHED_FIRSTS, Long.class))
                .isBetween(IDS / 2, 2 * IDS);
        assertThat(stream.gauge(0, DeduplicateMetrics.WATCHED_MISSED, Long.class)).isZero();
    }

    @Test
    void aLongerWindowHoldsForWhatIsStillHeld() throws Exception {
        stream.start(2, fixture.filter());
        allAreNew(0, IDS, 100);
        stream.watermark(1000);
        stream.snapshot();
        fixture.window = Duration.ofSeconds(5);
        stream.start(3, fixture.filter());
        stream.watermark(5100);
        allAreSeen(0, IDS, 5100);
        stream.watermark(5101);
        allAreNew(0, IDS, 5101);
    }

    @Test
    void whatTheShorterWindowForgotIsLateInALongerOne() throws Exception {
        fixture.onLate = OnLate.sideOutput(DeduplicateFixture.LATE);
        stream.start(2, fixture.filter());
        for (long id = 0; id < 1_500; id++) {
            stream.process(id, id);
            stream.watermark(id);
        }
        stream.snapshot();
        fixture.window = Duration.ofSeconds(10);
        stream.start(3, fixture.filter());
        stream.watermark(1_500);
        for (long id = 0; id < 1_500; id++) {
            assertThat(stream.process(id, id)).as("id %s", id).isEmpty();
        }
        long late = stream.counter(DeduplicateMetrics.LATE);
        assertThat(late).as("others are held still").isBetween(100L, 500L);
        assertThat(stream.sideOutput(DeduplicateFixture.LATE)).hasSize((int) late);
        assertThat(covered()).as("of a window of 10 s").isBetween(1_000L, 1_500L);

        stream.watermark(10_500);
        assertThat(covered()).isEqualTo(10_000);
        allAreNew(2_000, 3_000, 500);
    }

    private long covered() throws Exception {
        return stream.gauge(0, DeduplicateMetrics.COVERED_MILLIS, Long.class);
    }

    @Test
    void aShorterWindowForgetsSooner() throws Exception {
        stream.start(2, fixture.filter());
        allAreNew(0, IDS, 100);
        stream.snapshot();
        fixture.window = Duration.ofMillis(10);
        stream.start(3, fixture.filter());
        stream.watermark(110);
        allAreSeen(0, IDS, 110);
        stream.watermark(111);
        allAreNew(0, IDS, 111);
    }

    @Test
    void errorRateAndSizeMayChangeWithoutLosingTheWindow() throws Exception {
        stream.start(2, fixture.filter());
        allAreNew(0, IDS, 100);
        stream.snapshot();
        fixture.fpp = 1e-4;
        fixture.idsPerSecond = 1_000_000;
        fixture.shadowIds = 10;
        fixture.overflow = OverflowPolicy.FORGET_OLDEST;
        stream.start(3, fixture.filter());
        allAreSeen(0, IDS, 200);
        stream.process(IDS, 200);
        stream.snapshot();
        fixture.fpp = 1e-10;
        fixture.memory = MemorySize.ofMebiBytes(1);
        fixture.shadowIds = 0;
        stream.start(1, fixture.filter());
        allAreSeen(0, IDS + 1, 200);
    }

    @Test
    void anotherMaximumParallelismIsRefused() throws Exception {
        stream.start(2, fixture.filter());
        stream.snapshot();
        assertThatThrownBy(() -> stream.start(2, MAX_PARALLELISM + 1, fixture.filter()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        "maximum parallelism 100", "now has 101", "setMaxParallelism(100)");
    }

    @Test
    void anotherTimeDomainIsRefused() throws Exception {
        stream.start(2, fixture.filter());
        stream.snapshot();
        fixture.timeDomain = TimeDomain.PROCESSING;
        refusedAs(fixture.filter(), "timeDomain=EVENT", "timeDomain=PROCESSING");
    }

    @Test
    void anotherEngineIsRefusedUnlessItNeedsLess() throws Exception {
        stream.start(2, fixture.filter());
        allAreNew(0, IDS, 100);
        stream.snapshot();
        refusedAs(fixture.verified(), "deduplicate filter,", "with exact times");
        fixture.timeDomain = TimeDomain.PROCESSING;
        refusedAs(fixture.inState(), "deduplicate filter,", "deduplicate in state");
        fixture.timeDomain = TimeDomain.EVENT;

        stream.setState(null);
        stream.start(2, fixture.verified());
        allAreNew(0, IDS, 100);
        stream.snapshot();
        stream.start(3, fixture.filter());
        allAreSeen(0, IDS, 100);
    }

    private void refusedAs(
            Supplier<OneInputStreamOperator<Long, Long>> operator, String written, String now) {
        assertThatThrownBy(() -> stream.start(2, operator))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("operator under test", "key group", written, now);
    }

    @Test
    void damageNamesOperatorAndKeyGroup() throws Exception {
        stream.start(1, fixture.filter());
        allAreNew(0, IDS, 100);
        stream.snapshot();
        var intact = stream.state();
        int size = DamagedState.rawKeyedStateSize(intact);
        assertThat(size).isGreaterThan(100_000);
        // Key groups are consecutive, so damage in the first and in the second half hits two of
        // them.
        for (int offset : new int[] {2, 50, size / 3, size / 2, size - 3}) {
            stream.setState(DamagedState.flipped(intact, offset));
            assertThatThrownBy(() -> stream.start(1, fixture.filter()))
                    .as("byte %s", offset)
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContainingAll("operator under test", "key group ");
        }
        for (int length : new int[] {0, 30, size / 2, size - 1}) {
            stream.setState(DamagedState.truncated(intact, length));
            assertThatThrownBy(() -> stream.start(1, fixture.filter()))
                    .as("first %s bytes", length)
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContainingAll("operator under test", "key group ");
        }
    }
}
