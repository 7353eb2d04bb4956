/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.sample.StoredSample;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens to a record of one key group: first, duplicate, or late. */
class DeduplicatorTest {

    private static final long WINDOW = 1_000;
    private static final long NOW = 50_000;
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final Deduplicator ids = create(options(WINDOW), budget);

    private static WindowOptions options(long window) {
        return WindowOptions.builder()
                .windowMillis(window)
                .falsePositiveProbability(1e-6)
                .maxFutureMillis(WINDOW)
                .clockOfCaller()
                .build();
    }

    private static Deduplicator create(WindowOptions options, MemoryBudget budget) {
        return Deduplicator.create(options, budget, 100, 1_000);
    }

    private Verdict decide(long id, long time) {
        return ids.decide(Hashing.hash(id), time);
    }

    private static byte[] bytes(Deduplicator ids) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ids.writeTo(out);
        return out.toByteArray();
    }

    private static Deduplicator read(byte[] bytes, long window) throws IOException {
        return read(bytes, window, new MemoryBudget(1 << 20));
    }

    private static Deduplicator read(byte[] bytes, long window, MemoryBudget budget)
            throws IOException {
        return Deduplicator.readFrom(
                new ByteArrayInputStream(bytes),
                "what was written",
                options(window),
                budget,
                1_000);
    }

    @Test
    void theFirstRecordOfAnIdIsFirstAndTheNextOnesAreDuplicates() {
        ids.advanceTo(NOW);
        assertThat(decide(1, NOW)).isEqualTo(Verdict.FIRST);
        assertThat(decide(1, NOW)).isEqualTo(Verdict.DUPLICATE);
        assertThat(decide(1, NOW - WINDOW)).isEqualTo(Verdict.DUPLICATE);
        assertThat(decide(2, NOW)).isEqualTo(Verdict.FIRST);
        assertThat(ids.idsHeld()).isEqualTo(2);
    }

    @Test
    void aRecordIsLateIfItIsOlderThanTheWindowAndItsIdIsNotHeld() {
        ids.advanceTo(NOW);
        assertThat(ids.windowStart()).isEqualTo(NOW - WINDOW);
        assertThat(ids.lateBefore()).isEqualTo(NOW - WINDOW);
        assertThat(decide(1, NOW - WINDOW - 1)).isEqualTo(Verdict.LATE);
        assertThat(decide(1, NOW - WINDOW)).as("it was not remembered").isEqualTo(Verdict.FIRST);
        assertThat(decide(1, NOW - WINDOW - 1)).isEqualTo(Verdict.DUPLICATE);
    }

    @Test
    void beforeTheClockIsKnownNothingIsLate() {
        assertThat(ids.clock()).isEqualTo(UNKNOWN);
        assertThat(ids.windowStart()).isEqualTo(UNKNOWN);
        assertThat(ids.lateBefore()).isEqualTo(UNKNOWN);
        assertThat(ids.covers(NOW)).isTrue();
        assertThat(ids.coveredMillis()).isEqualTo(WINDOW);
        assertThat(decide(1, NOW)).isEqualTo(Verdict.FIRST);
        assertThat(decide(2, 0)).isEqualTo(Verdict.FIRST);
        assertThat(decide(2, 5)).isEqualTo(Verdict.DUPLICATE);
        assertThat(decide(1, 5)).as("hours before the first").isEqualTo(Verdict.FIRST);
    }

    @Test
    void theWindowBeginsNoEarlierThanTime() {
        ids.advanceTo(UNKNOWN + WINDOW - 1);
        assertThat(ids.windowStart()).isEqualTo(UNKNOWN);
        ids.advanceTo(UNKNOWN + WINDOW);
        assertThat(ids.windowStart()).isEqualTo(UNKNOWN);
        ids.advanceTo(UNKNOWN + WINDOW + 1);
        assertThat(ids.windowStart()).isEqualTo(UNKNOWN + 1);
    }

    @Test
    void anIdIsForgottenWhenItsSliceHasLeftTheWindow() {
        ids.advanceTo(NOW);
        decide(1, NOW);
        ids.advanceTo(NOW + WINDOW);
        assertThat(decide(1, NOW + WINDOW)).isEqualTo(Verdict.DUPLICATE);
        ids.advanceTo(NOW + 3 * WINDOW);
        assertThat(decide(1, NOW + 3 * WINDOW)).isEqualTo(Verdict.FIRST);
        assertThat(ids.generations()).isPositive();
    }

    @Test
    void aDuplicateThatRenewsItsIdKeepsItForAnotherWindow() {
        ids.advanceTo(NOW);
        long hash = Hashing.hash(1);
        assertThat(ids.decideAndRenew(hash, NOW, NOW)).isEqualTo(Verdict.FIRST);
        for (long now = NOW; now < NOW + 10 * WINDOW; now += WINDOW) {
            ids.advanceTo(now);
            assertThat(ids.decideAndRenew(hash, now, now)).isNotEqualTo(Verdict.LATE);
            assertThat(ids.decide(hash, now)).isEqualTo(Verdict.DUPLICATE);
        }
        assertThat(ids.decideAndRenew(Hashing.hash(2), NOW, NOW)).isEqualTo(Verdict.LATE);
        assertThat(ids.missedDuplicates()).isZero();
    }

    /** The sample knows of it: if the filter lost the id, that would be missed. */
    @Test
    void aRenewedIdIsExpectedToBeHeldFromItsLastTimeOn() {
        ids.advanceTo(NOW);
        ids.decideAndRenew(Hashing.hash(1), NOW, NOW);
        ids.advanceTo(NOW + WINDOW);
        ids.decideAndRenew(Hashing.hash(1), NOW + WINDOW, NOW + WINDOW);
        ids.advanceTo(NOW + 2 * WINDOW);
        assertThat(decide(1, NOW + 2 * WINDOW)).isEqualTo(Verdict.DUPLICATE);
        assertThat(ids.measuredError().firsts()).isEqualTo(1);
        assertThat(ids.measuredError().dropped()).isZero();
    }

    @Test
    void aLateIdThatIsAllowedToPassIsRemembered() {
        ids.advanceTo(NOW);
        assertThat(decide(1, NOW - 5 * WINDOW)).isEqualTo(Verdict.LATE);
        ids.remember(Hashing.hash(1), NOW - 10, NOW - 10);
        assertThat(decide(1, NOW)).isEqualTo(Verdict.DUPLICATE);
    }

    @Test
    void theClockOnlyGoesForwardUnlessItIsReset() {
        ids.advanceTo(NOW);
        ids.advanceTo(NOW - 1);
        assertThat(ids.clock()).isEqualTo(NOW);
        assertThat(ids.exactSince()).isEqualTo(NOW - WINDOW);
        ids.resetClock();
        assertThat(ids.clock()).isEqualTo(UNKNOWN);
        assertThat(ids.exactSince()).isEqualTo(UNKNOWN);
        ids.advanceTo(100);
        assertThat(ids.clock()).isEqualTo(100);
        assertThat(decide(1, 100 - WINDOW)).isEqualTo(Verdict.FIRST);
        assertThat(decide(2, 99 - WINDOW)).isEqualTo(Verdict.LATE);
    }

    @Test
    void theClockStandsStillWhileTheJobIsDown() {
        ids.advanceTo(NOW);
        assertThat(ids.timeAt(NOW + 7)).isEqualTo(NOW + 7);
        ids.resumeAt(NOW + 5_000);
        assertThat(ids.lagMillis()).isEqualTo(5_000);
        assertThat(ids.timeAt(NOW + 5_007)).isEqualTo(NOW + 7);
    }

    @Test
    void aClockThatIsNotKnownLagsBehindNothing() {
        ids.resumeAt(NOW);
        assertThat(ids.lagMillis()).isZero();
        assertThat(ids.timeAt(NOW)).isEqualTo(NOW);
    }

    /** What was forgotten for want of memory is late, and a new id behind the clock with it. */
    @Test
    void whatWasForgottenEarlyIsLateAndNewIdsAtTheClockAreNot() {
        Deduplicator small = create(options(WINDOW), new MemoryBudget(30_000));
        small.advanceTo(NOW);
        long time = NOW;
        for (long id = 0; small.covers(small.clock()); id++) {
            time = NOW + id / 100;
            small.advanceTo(time);
            small.decide(Hashing.hash(id), time);
        }
        assertThat(small.overflows()).isPositive();
        assertThat(small.wantedBytes()).isGreaterThan(small.sizeInBytes());
        long covered = small.coveredSince();
        assertThat(covered).isGreaterThan(small.windowStart());
        assertThat(small.lateBefore()).isBetween(small.windowStart() + 1, time);
        assertThat(small.coveredMillis()).isEqualTo(time - small.lateBefore());
        assertThat(small.decide(Hashing.hash(-1), small.lateBefore() - 1)).isEqualTo(Verdict.LATE);
        assertThat(small.decide(Hashing.hash(-2), time)).isEqualTo(Verdict.FIRST);
        assertThat(small.decide(Hashing.hash(-2), time)).isEqualTo(Verdict.DUPLICATE);
        small.advanceTo(time + 2 * WINDOW);
        assertThat(small.covers(small.clock())).isTrue();
        assertThat(small.coveredMillis()).isEqualTo(WINDOW);
        assertThat(small.missedDuplicates()).isZero();
    }

    @Test
    void ifMemorySufficesNothingMoreIsWanted() {
        ids.advanceTo(NOW);
        decide(1, NOW);
        assertThat(ids.overflows()).isZero();
        assertThat(ids.wantedBytes()).isEqualTo(ids.sizeInBytes());
        assertThat(ids.sizeInBytes()).isEqualTo(budget.reserved()).isPositive();
        ids.close();
        assertThat(budget.reserved()).isZero();
    }

    @Test
    void whatWasWrittenIsReadAndGoesOn() throws IOException {
        ids.advanceTo(NOW);
        for (long id = 0; id < 100; id++) {
            decide(id, NOW + id);
            decide(id, NOW + id);
        }
        ids.resumeAt(NOW + 33);
        byte[] bytes = bytes(ids);
        Deduplicator restored = read(bytes, WINDOW);
        assertThat(KeyGroupFormatTest.inOrder(bytes(restored)))
                .isEqualTo(KeyGroupFormatTest.inOrder(bytes));
        assertThat(restored.clock()).isEqualTo(NOW);
        assertThat(restored.lagMillis()).isEqualTo(33);
        assertThat(restored.exactSince()).isEqualTo(NOW - WINDOW);
        assertThat(restored.measuredError()).isEqualTo(ids.measuredError());
        assertThat(restored.measuredError().firsts()).isEqualTo(100);
        for (long id = 0; id < 100; id++) {
            assertThat(restored.decide(Hashing.hash(id), NOW)).isEqualTo(Verdict.DUPLICATE);
        }
        assertThat(restored.decide(Hashing.hash(100), NOW)).isEqualTo(Verdict.FIRST);
        try (var pinned = ids.pin()) {
            decide(1_000, NOW);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            pinned.writeTo(out);
            assertThat(out.toByteArray()).as("as it was when it was pinned").isEqualTo(bytes);
        }
    }

    /** Ids that the shorter window forgot may come again: until the longer one has passed. */
    @Test
    void aLongerWindowIsHeldOnlyFromWhereTheShorterOneBegan() throws IOException {
        ids.advanceTo(NOW);
        decide(1, NOW);
        ids.advanceTo(NOW + 4 * WINDOW);
        decide(2, NOW + 4 * WINDOW);
        Deduplicator longer = read(bytes(ids), 10 * WINDOW);
        assertThat(longer.windowStart()).isEqualTo(NOW - 6 * WINDOW);
        assertThat(longer.exactSince()).isEqualTo(NOW + 3 * WINDOW);
        assertThat(longer.lateBefore()).isBetween(NOW + 1, NOW + 3 * WINDOW);
        assertThat(longer.decide(Hashing.hash(1), NOW)).isEqualTo(Verdict.LATE);
        assertThat(longer.decide(Hashing.hash(2), NOW + 4 * WINDOW)).isEqualTo(Verdict.DUPLICATE);
        assertThat(longer.coveredMillis()).isEqualTo(NOW + 4 * WINDOW - longer.lateBefore());
        longer.advanceTo(NOW + 13 * WINDOW);
        assertThat(longer.lateBefore()).isEqualTo(NOW + 3 * WINDOW);
        assertThat(longer.coveredMillis()).isEqualTo(10 * WINDOW);
    }

    /** Each takes one of the places that the limit gives. */
    /** Watermarks trail by some windows, and the memory does not suffice. */
    @Test
    void whatIsSaidToBeCoveredIsHeldHoweverFarTheClockTrails() throws IOException {
        for (long lag : new long[] {0, WINDOW / 2, 3 * WINDOW}) {
            Deduplicator small = create(options(WINDOW), new MemoryBudget(30_000));
            int ids = 100_000;
            for (int id = 0; id < ids; id++) {
                long time = NOW + id / 10;
                small.advanceTo(time - lag);
                small.decide(Hashing.hash(id), time);
            }
            assertThat(small.overflows()).isPositive();
            assertIsHeld(small, ids);
            assertIsHeld(read(bytes(small), WINDOW), ids);
        }
    }

    private static void assertIsHeld(Deduplicator small, int ids) {
        long last = NOW + (ids - 1) / 10;
        long covered = small.coveredMillis();
        assertThat(covered).isBetween(WINDOW / 10, WINDOW - 1);
        for (int id = ids - 1; NOW + id / 10 > last - covered; id--) {
            assertThat(small.decide(Hashing.hash(id), last)).isEqualTo(Verdict.DUPLICATE);
        }
    }

    @Test
    void lateRecordsThatPassCountForTheLimit() throws IOException {
        ids.advanceTo(NOW);
        decide(1, NOW);
        ids.advanceTo(NOW + 4 * WINDOW);
        Deduplicator longer = read(bytes(ids), 10 * WINDOW);
        PassRule twice = new PassRule(2, false);
        long hash = Hashing.hash(7);
        assertThat(twice.decide(longer, hash, NOW, NOW)).isEqualTo(Verdict.LATE);
        twice.remember(longer, hash, NOW, NOW);
        assertThat(twice.decide(longer, hash, NOW, NOW)).as("2nd place").isEqualTo(Verdict.LATE);
        twice.remember(longer, hash, NOW, NOW);
        assertThat(twice.decide(longer, hash, NOW, NOW)).isEqualTo(Verdict.DUPLICATE);
        long clock = longer.clock();
        assertThat(twice.decide(longer, hash, clock, clock)).isEqualTo(Verdict.DUPLICATE);
        assertThat(longer.idsHeld()).isEqualTo(ids.idsHeld() + 2);
    }

    @Test
    void aWindowThatBeganAfterTheClockIsRefusedAndItsMemoryGivenBack() throws IOException {
        ids.advanceTo(NOW);
        decide(1, NOW);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new DeduplicatorFormat.Header(0, NOW + 1, DeduplicatorFormat.NO_FORMS).writeTo(out);
        ByteArrayOutputStream entries = new ByteArrayOutputStream();
        new DeduplicatorFormat.Header(0, NOW, DeduplicatorFormat.NO_FORMS).writeTo(entries);
        byte[] own = bytes(ids);
        ByteArrayInputStream filter = new ByteArrayInputStream(own);
        filter.skipNBytes(out.size());
        StoredSample.readFrom(filter, "own");
        byte[] rest = filter.readAllBytes();
        StoredSample sample =
                new StoredSample(Long.MAX_VALUE, WINDOW, 0, NOW, NOW, 0, 0, 5, 0, new long[0]);
        for (ByteArrayOutputStream each : List.of(out, entries)) {
            sample.writeTo(each);
            each.writeBytes(rest);
        }
        MemoryBudget other = new MemoryBudget(1 << 20);
        assertThatThrownBy(() -> read(out.toByteArray(), WINDOW, other))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("after the clock, which is at " + NOW);
        assertThat(other.reserved()).isZero();
        Deduplicator restored = read(entries.toByteArray(), WINDOW);
        assertThat(restored.exactSince()).isEqualTo(NOW);
        assertThat(restored.missedDuplicates()).isEqualTo(5);
    }

    @Test
    void thePredictedErrorGrowsWithTheIdsAndIsNothingWithoutAny() {
        ids.advanceTo(NOW);
        assertThat(ids.predictedFpp()).isZero();
        double last = 0;
        for (long id = 0; id < 5_000; id++) {
            decide(id, NOW);
            double predicted = ids.predictedFpp();
            assertThat(predicted).isBetween(0.0, 1e-6);
            if (id % 1_000 == 999) {
                assertThat(predicted).isGreaterThan(last * 0.9);
                last = predicted;
            }
        }
        assertThat(last).isPositive();
    }

    @Test
    void aClockThatFollowsTimestampsIsNotTheCallers() {
        WindowOptions options = WindowOptions.builder().windowMillis(WINDOW).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(options, budget))
                .withMessageContaining("clockFollowsTimestamps must be false");
    }
}
