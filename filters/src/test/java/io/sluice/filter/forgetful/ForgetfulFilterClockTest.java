/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whose the clock is, what moves it, and what follows for ids that are held. */
class ForgetfulFilterClockTest {

    private static final long WINDOW = 1_000;
    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final int ENOUGH = ArrivalClock.VOTERS - ArrivalClock.OUTVOTED;

    private static WindowOptions.Builder options() {
        return WindowOptions.builder()
                .windowMillis(WINDOW)
                .falsePositiveProbability(1e-9)
                .maxFutureMillis(WINDOW);
    }

    private static ForgetfulFilter filter(WindowOptions options, long now) {
        return ForgetfulFilter.create(options, new MemoryBudget(1 << 20), now);
    }

    private static void addAll(ForgetfulFilter filter, long firstId, int count, long time) {
        for (long id = firstId; id < firstId + count; id++) {
            filter.add(Hashing.hash(id), time);
        }
    }

    /** Though the last sixteen timestamps were all wild. */
    @Test
    void afterAResetTheClockIsUnknownUntilEnoughTimestampsAgree() {
        ForgetfulFilter filter = filter(options().build(), UNKNOWN);
        long wild = 1_000_000_000;
        addAll(filter, 0, 20, wild);
        assertThat(filter.clock()).isEqualTo(wild);
        filter.resetClock();
        assertThat(filter.clock()).isEqualTo(UNKNOWN);
        addAll(filter, 100, ENOUGH - 1, 5_000);
        assertThat(filter.clock()).isEqualTo(UNKNOWN);
        addAll(filter, 200, 1, 5_000);
        assertThat(filter.clock()).isEqualTo(5_000);
    }

    @Test
    void optionsMayGiveTheClockToTheCallerAndBack() {
        ForgetfulFilter filter = filter(options().build(), UNKNOWN);
        addAll(filter, 0, 20, 100);
        assertThat(filter.clock()).isEqualTo(100);
        filter.changeOptions(options().clockOfCaller().build());
        addAll(filter, 100, 50, 900);
        assertThat(filter.clock()).isEqualTo(100);
        filter.changeOptions(options().build());
        addAll(filter, 200, 20, 950);
        assertThat(filter.clock()).isEqualTo(950);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aShorterWindowIsInForceAtOnce(Layout layout) {
        WindowOptions longer = options().layout(layout).clockOfCaller().build();
        ForgetfulFilter filter = filter(longer, 0);
        for (long time = 0; time <= WINDOW; time++) {
            filter.advanceTo(time);
            filter.insert(Hashing.hash(time), time);
        }
        assertThat(filter.mightContain(Hashing.hash(0L), WINDOW)).isTrue();
        filter.changeOptions(options().layout(layout).windowMillis(200).clockOfCaller().build());
        assertThat(filter.mightContain(Hashing.hash(0L), WINDOW)).isFalse();
        assertThat(filter.coveredSince()).isBetween(1L, WINDOW - 200);
        for (long time = WINDOW - 200; time <= WINDOW; time++) {
            assertThat(filter.mightContain(Hashing.hash(time), time)).isTrue();
        }
    }

    @Test
    void aTimestampThatIsJustBelievedIsNotCountedAsTooFarAhead() {
        ForgetfulFilter filter = filter(options().clockOfCaller().build(), 500);
        filter.insert(Hashing.hash(1L), 500 + WINDOW);
        assertThat(filter.future()).isZero();
        filter.insert(Hashing.hash(2L), 500 + WINDOW + 1);
        assertThat(filter.future()).isEqualTo(1);
        filter.advanceTo(500 + 2 * WINDOW);
        assertThat(filter.mightContain(Hashing.hash(2L), 500 + 2 * WINDOW)).isTrue();
    }

    @Test
    void whatIsReadHasTheOptionsOfTheReaderAndTakesItsMemory() throws IOException {
        ForgetfulFilter filter = filter(options().clockOfCaller().build(), 500);
        filter.insert(Hashing.hash(1L), 500);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        WindowOptions other =
                options()
                        .windowMillis(3 * WINDOW)
                        .onOverflow(OverflowPolicy.FAIL)
                        .expectedPerWindow(5_000)
                        .build();
        MemoryBudget budget = new MemoryBudget(1 << 20);
        ForgetfulFilter read =
                ForgetfulFilter.readFrom(
                        new ByteArrayInputStream(out.toByteArray()), "a copy", other, budget);
        assertThat(read.options()).isEqualTo(other);
        assertThat(read.clock()).isEqualTo(500);
        assertThat(budget.reserved()).isEqualTo(read.sizeInBytes()).isPositive();
        addAll(read, 100, 20, 500 + 2 * WINDOW);
        assertThat(read.clock()).isEqualTo(500 + 2 * WINDOW);
        assertThat(read.mightContain(Hashing.hash(1L), 500 + 2 * WINDOW))
                .as("in the longer window")
                .isTrue();
        read.close();
        assertThat(budget.reserved()).isZero();
    }

    /** With a clock, what would leave the window first is forgotten; without, what came first. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void whatIsForgottenEarlyDependsOnWhetherThereIsAClock(Layout layout) {
        for (long now : new long[] {20_000, UNKNOWN}) {
            WindowOptions options =
                    options()
                            .windowMillis(20_000)
                            .maxFalsePositiveProbability(1e-9)
                            .expectedPerWindow(200)
                            .layout(layout)
                            .clockOfCaller()
                            .build();
            ForgetfulFilter filter =
                    ForgetfulFilter.create(
                            options, new MemoryBudget(ForgetfulFilter.expectedBytes(options)), now);
            // The first ids have the latest times.
            for (long id = 0; id < 1_000; id++) {
                filter.insert(Hashing.hash(id), 20_000 - id);
            }
            assertThat(filter.overflows()).isPositive();
            assertThat(filter.mightContain(Hashing.hash(999L), 20_000 - 999)).isTrue();
            assertThat(filter.mightContain(Hashing.hash(0L), 20_000))
                    .as("clock at %d", now)
                    .isEqualTo(now != UNKNOWN);
        }
    }
}
