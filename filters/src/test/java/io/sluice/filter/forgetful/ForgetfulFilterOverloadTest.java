/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** More ids than the memory is made for: the window gives way; no new id is lost beyond maxFpp. */
class ForgetfulFilterOverloadTest {

    private static final long WINDOW_MILLIS = 10_000;
    private static final int EXPECTED = 50_000;
    private static final double FPP = 1e-3;

    private static WindowOptions.Builder options(Layout layout) {
        return WindowOptions.builder()
                .windowMillis(WINDOW_MILLIS)
                .falsePositiveProbability(FPP)
                .expectedPerWindow(EXPECTED)
                .layout(layout);
    }

    /** Ids in order of time, at a rate that may change; counts the new ones that are dropped. */
    private static final class Stream {
        private final ForgetfulFilter filter;
        private long id;
        private long nowMicros;
        private long sent;
        private long dropped;
        private final BitSet recorded = new BitSet();
        private final Map<Long, Long> times = new HashMap<>();

        Stream(ForgetfulFilter filter) {
            this.filter = filter;
        }

        void run(double idsPerWindow, double windows) {
            sent = 0;
            dropped = 0;
            long ids = (long) (idsPerWindow * windows);
            long begin = nowMicros;
            for (long i = 0; i < ids; i++) {
                nowMicros = begin + (long) (i * WINDOW_MILLIS * 1000 / idsPerWindow);
                boolean added = filter.add(Hashing.hash(id), nowMicros / 1000);
                dropped += added ? 0 : 1;
                recorded.set((int) id, added);
                times.put(id, nowMicros / 1000);
                id++;
                sent++;
            }
        }

        /** Recorded ids from {@code first} on that the filter does not hold. */
        long missing(long first) {
            return recorded.stream()
                    .filter(
                            i ->
                                    i >= first
                                            && !filter.mightContain(
                                                    Hashing.hash(i), times.get((long) i)))
                    .count();
        }

        double share() {
            return (double) dropped / sent;
        }
    }

    private static ForgetfulFilter filterWithMemoryForWhatIsExpected(WindowOptions options) {
        return ForgetfulFilter.create(
                options, new MemoryBudget(ForgetfulFilter.expectedBytes(options)), 0);
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"1.2", "1.5", "2", "4", "20"})
    void noNewIdIsDroppedBeyondMaxFppAtAnyRate(double factor) {
        for (Layout layout : Tables.LAYOUTS) {
            WindowOptions options = options(layout).build();
            Stream stream = new Stream(filterWithMemoryForWhatIsExpected(options));
            stream.run(factor * EXPECTED, 4);
            assertThat(stream.share())
                    .as("%s at %s times the rate", layout, factor)
                    .isLessThanOrEqualTo(options.maxFpp());
            assertThat(stream.filter.predictedFpp()).isLessThanOrEqualTo(options.maxFpp());
            assertThat(stream.filter.overflows()).isPositive();
            assertThat(stream.filter.wantedBytes())
                    .as("memory that would do")
                    .isBetween(
                            (long) (0.7 * factor * ForgetfulFilter.expectedBytes(options)),
                            (long) (2.5 * factor * ForgetfulFilter.expectedBytes(options)));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void withTheFactorOneTheProbabilityAskedForIsKeptAtAnyRate(Layout layout) {
        WindowOptions options = options(layout).maxFalsePositiveProbability(FPP).build();
        Stream stream = new Stream(filterWithMemoryForWhatIsExpected(options));
        stream.run(3 * EXPECTED, 4);
        assertThat(stream.share()).isLessThanOrEqualTo(1.1 * FPP);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aDuplicateInsideWhatIsCoveredIsRecognisedUnderPressure(Layout layout) {
        WindowOptions options = options(layout).build();
        Stream stream = new Stream(filterWithMemoryForWhatIsExpected(options));
        stream.run(4 * EXPECTED, 3);
        ForgetfulFilter filter = stream.filter;
        long covered = filter.coveredSince();
        assertThat(filter.clock() - covered).as("covered").isBetween(1_500L, 7_000L);
        long idsPerMilli = 4L * EXPECTED / WINDOW_MILLIS;
        assertThat(stream.missing((covered + 1) * idsPerMilli)).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aBurstLeavesNothingBehindWhenCalmReturns(Layout layout) {
        WindowOptions options = options(layout).build();
        Stream stream = new Stream(filterWithMemoryForWhatIsExpected(options));
        stream.run(EXPECTED, 1);
        stream.run(2 * EXPECTED, 0.5);
        stream.run(0.5 * EXPECTED, 0.25);
        assertThat(stream.share()).as("within a slice").isLessThanOrEqualTo(options.maxFpp());
        stream.run(0.5 * EXPECTED, 1);
        assertThat(stream.share()).isLessThanOrEqualTo(options.maxFpp());
        stream.run(0.5 * EXPECTED, 2);
        long overflows = stream.filter.overflows();
        stream.run(0.5 * EXPECTED, 1);
        assertThat(stream.filter.overflows()).isEqualTo(overflows);
        assertThat(stream.filter.coveredSince())
                .isLessThanOrEqualTo(stream.filter.clock() - WINDOW_MILLIS);
    }

    @Test
    void noneOfManyFiltersThatShareACapIsStarved() {
        int filters = 16;
        for (Layout layout : Tables.LAYOUTS) {
            WindowOptions options = options(layout).expectedPerWindow(1_000).build();
            long need = ForgetfulFilter.expectedBytes(options(layout).build());
            MemoryBudget budget = new MemoryBudget(2L * filters * need, filters);
            Stream[] streams = new Stream[filters];
            for (int i = 0; i < filters; i++) {
                streams[i] = new Stream(ForgetfulFilter.create(options, budget, 0, 0));
                streams[i].id = 1_000_000L * i;
            }
            // One after the other: the first ones could take the whole budget.
            for (Stream stream : streams) {
                stream.run(EXPECTED, 3);
            }
            for (Stream stream : streams) {
                assertThat(stream.share()).as(layout.name()).isLessThanOrEqualTo(options.maxFpp());
                assertThat(stream.filter.clock() - stream.filter.coveredSince())
                        .as("covered by %s", layout)
                        .isGreaterThan(WINDOW_MILLIS / 2);
            }
            assertThat(budget.reserved()).isLessThanOrEqualTo(budget.maxBytes());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void withoutAnyClockForgettingGoesOnInTheOrderOfArrival(Layout layout) {
        WindowOptions options = options(layout).clockOfCaller().build();
        ForgetfulFilter filter =
                ForgetfulFilter.create(options, new MemoryBudget(1 << 20), Long.MIN_VALUE);
        long dropped = 0;
        long recent = 0;
        int ids = 1_000_000;
        for (long id = 0; id < ids; id++) {
            // One in a thousand is decades ahead.
            long timestamp = id % 1_000 == 0 ? 1L << 41 : id;
            dropped += filter.add(Hashing.hash(id), timestamp) ? 0 : 1;
            recent +=
                    id > 20_000
                                    && id % 1_000 != 0
                                    && !filter.mightContain(Hashing.hash(id - 10_000), id - 10_000)
                            ? 1
                            : 0;
        }
        assertThat((double) dropped / ids).isLessThanOrEqualTo(options.maxFpp());
        assertThat((double) recent / ids).as("ids of a moment ago, forgotten").isLessThan(0.01);
        // The first watermark finds nothing that would last for decades.
        filter.advanceTo(ids);
        assertThat(filter.coveredSince()).isLessThanOrEqualTo(ids + options.maxFutureMillis() + 1);
        long clock = ids;
        for (int chance = 0; chance < 10; chance++) {
            clock += options.maxFutureMillis() + WINDOW_MILLIS * 9 / 8 + 2;
            filter.advanceTo(clock);
        }
        assertThat(filter.idsHeld()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void oneTimestampFarAheadStopsNoForgetting(Layout layout) {
        WindowOptions options = options(layout).clockOfCaller().build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(1 << 20), 0);
        long dropped = 0;
        int ids = 1_000_000;
        for (long id = 0; id < ids; id++) {
            long now = id / 10;
            filter.advanceTo(now);
            dropped += filter.add(Hashing.hash(id), id == 5_000 ? 1L << 41 : now) ? 0 : 1;
        }
        assertThat((double) dropped / ids).isLessThanOrEqualTo(options.maxFpp());
        assertThat(filter.future()).isEqualTo(1);
        filter.advanceTo(500 + options.maxFutureMillis() + WINDOW_MILLIS * 9 / 8 + 2);
        assertThat(filter.idsHeld()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aFewTimestampsAheadOfTheClockTakeNothingOfTheWindowFromTheOthers(Layout layout) {
        WindowOptions options =
                options(layout)
                        .windowMillis(60_000)
                        .expectedPerWindow(6_000)
                        .clockOfCaller()
                        .build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(200_000), 0);
        for (long time = 0; time < 1_200_000; time += 10) {
            filter.advanceTo(time);
            filter.insert(Hashing.hash(time), time % 10_000 == 0 ? time + 3_000_000 : time);
            assertThat(filter.coveredBehind()).isLessThanOrEqualTo(Math.max(0, time - 60_000));
        }
        assertThat(filter.overflows()).isZero();
        for (long time = 1_140_000; time < 1_200_000; time += 10) {
            long recorded = time % 10_000 == 0 ? time + 3_000_000 : time;
            assertThat(filter.mightContain(Hashing.hash(time), recorded)).isTrue();
        }
    }

    @Test
    void aStricterProbabilityHoldsAWindowLaterThoughTheBudgetHasNoRoomForTwoArrays() {
        WindowOptions lax = options(Layout.FINGERPRINTS).build();
        WindowOptions strict = options(Layout.FINGERPRINTS).falsePositiveProbability(1e-6).build();
        MemoryBudget budget = new MemoryBudget(ForgetfulFilter.expectedBytes(lax) + 500);
        ForgetfulFilter filter = ForgetfulFilter.create(lax, budget, 0);
        Stream stream = new Stream(filter);
        stream.run(EXPECTED, 2);
        filter.changeOptions(strict);
        stream.run(EXPECTED, 3);
        assertThat(filter.predictedFpp()).isLessThanOrEqualTo(strict.maxFpp());
        assertThat(budget.reserved()).isLessThanOrEqualTo(budget.maxBytes());
    }

    @Test
    void callingOnlyAddGetsTheWindow() {
        ForgetfulFilter seen =
                ForgetfulFilter.create(
                        options(Layout.FINGERPRINTS).build(), new MemoryBudget(64 << 20), 0);
        Stream stream = new Stream(seen);
        stream.run(EXPECTED, 20);
        assertThat(stream.share()).isLessThanOrEqualTo(FPP);
        assertThat(stream.missing(stream.id - EXPECTED + 10)).isZero();
        assertThat(seen.idsHeld()).isLessThan(2 * EXPECTED);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 100, 10_000, 100_000_000, 1_000_000_000_000L, Long.MAX_VALUE})
    void anyExpectationWorksInAnyBudget(long expected) {
        for (Layout layout : Tables.LAYOUTS) {
            for (long bytes = 1; bytes <= 1 << 22; bytes *= 8) {
                WindowOptions options = options(layout).expectedPerWindow(expected).build();
                ForgetfulFilter filter =
                        ForgetfulFilter.create(options, new MemoryBudget(bytes, 3), 0, 0);
                Stream stream = new Stream(filter);
                stream.run(5_000, 2);
                assertThat(stream.share())
                        .as("%s, %d bytes", layout, bytes)
                        .isLessThanOrEqualTo(options.maxFpp());
                assertThat(ForgetfulFilter.expectedBytes(options)).isPositive();
            }
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"1000", "10000", "200000"})
    void theProbabilityIsPredictedWithinATenthAtAndFarOverCapacity(int expected) {
        for (Layout layout : Tables.LAYOUTS) {
            for (double factor : new double[] {0.5, 1, 2, 6}) {
                WindowOptions options =
                        options(layout)
                                .falsePositiveProbability(1e-2)
                                .expectedPerWindow(expected)
                                .build();
                Stream stream = new Stream(filterWithMemoryForWhatIsExpected(options));
                stream.run(factor * expected, 3);
                int probes = 400_000;
                int positives = 0;
                for (long i = 0; i < probes; i++) {
                    positives +=
                            stream.filter.mightContain(Hashing.hash(-1 - i), stream.filter.clock())
                                    ? 1
                                    : 0;
                }
                double predicted = stream.filter.predictedFpp() * probes;
                assertThat((double) positives)
                        .as("%s, %d ids at %s times the rate", layout, expected, factor)
                        .isCloseTo(predicted, within(5 * Math.sqrt(predicted) + 0.1 * predicted));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void underFailNothingIsForgottenAndNothingIsLost(Layout layout) {
        WindowOptions options = options(layout).onOverflow(OverflowPolicy.FAIL).build();
        ForgetfulFilter filter = filterWithMemoryForWhatIsExpected(options);
        assertThatThrownBy(() -> new Stream(filter).run(3 * EXPECTED, 2))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("give more memory");
        assertThat(filter.coveredSince()).isLessThanOrEqualTo(filter.clock() - WINDOW_MILLIS);
        long held = filter.idsHeld();
        for (long id = 0; id < held; id++) {
            assertThat(filter.mightContain(Hashing.hash(id), id * WINDOW_MILLIS / (3 * EXPECTED)))
                    .isTrue();
        }
    }

    @Test
    void aClosedFilterIsClosed() {
        MemoryBudget budget = new MemoryBudget(1 << 20);
        ForgetfulFilter filter =
                ForgetfulFilter.create(options(Layout.FINGERPRINTS).build(), budget, 0);
        filter.close();
        assertThatThrownBy(() -> filter.add(1, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> filter.insert(1, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> filter.mightContain(1, 1))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> filter.advanceTo(1)).isInstanceOf(IllegalStateException.class);
        filter.close();
        assertThat(budget.reserved()).isZero();
    }

    @Test
    void aClockThatRanAheadCanBeSetBack() {
        WindowOptions options = options(Layout.FINGERPRINTS).clockOfCaller().build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(1 << 22), 0);
        filter.advanceTo(1L << 41);
        filter.resetClock();
        filter.advanceTo(50_000);
        assertThat(filter.clock()).isEqualTo(50_000);
        for (long id = 0; id < 1_000; id++) {
            assertThat(filter.add(Hashing.hash(id), 50_000)).isTrue();
        }
        filter.advanceTo(50_000 + WINDOW_MILLIS);
        for (long id = 0; id < 1_000; id++) {
            assertThat(filter.add(Hashing.hash(id), 55_000)).isFalse();
        }
        filter.advanceTo(50_000 + 2 * WINDOW_MILLIS);
        assertThat(filter.idsHeld()).isZero();
    }

    @Test
    void anExpiredSliceIsForgottenHoweverLateItsIdsWereRecorded() {
        WindowOptions options = options(Layout.FINGERPRINTS).clockOfCaller().build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(1 << 22), 0);
        filter.advanceTo(20_000);
        filter.insert(1, 15_000);
        filter.advanceTo(15_000 + WINDOW_MILLIS);
        assertThat(filter.idsHeld()).isEqualTo(1);
        filter.advanceTo(SaturatedTime.endOfSlice(15_000, WINDOW_MILLIS / 8) + WINDOW_MILLIS + 1);
        assertThat(filter.idsHeld()).isZero();
        assertThat(filter.coveredSince()).as("says what it forgot").isEqualTo(15_001);
    }

    @Test
    void aThousandChangesOfOptionsInAWindowLeaveASnapshotThatCanBeRead() throws IOException {
        MemoryBudget budget = new MemoryBudget(1L << 30);
        ForgetfulFilter filter =
                ForgetfulFilter.create(options(Layout.QUOTIENT).build(), budget, 0);
        for (int i = 0; i < 1_100; i++) {
            filter.insert(Hashing.hash(i), 0);
            filter.changeOptions(
                    options(Layout.QUOTIENT)
                            .falsePositiveProbability(i % 2 == 0 ? 1e-3 : 1e-4)
                            .build());
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        ForgetfulFilter read =
                ForgetfulFilter.readFrom(
                        new ByteArrayInputStream(out.toByteArray()),
                        "test",
                        options(Layout.QUOTIENT).build(),
                        budget);
        for (int i = 0; i < 1_100; i++) {
            assertThat(read.mightContain(Hashing.hash(i), 0)).isTrue();
        }
    }
}
