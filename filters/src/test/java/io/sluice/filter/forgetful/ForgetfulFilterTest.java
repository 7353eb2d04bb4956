/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ForgetfulFilterTest {

    private static final MemoryBudget PLENTY = new MemoryBudget(1L << 30);

    private static WindowOptions.Builder seconds(long window) {
        return WindowOptions.builder().windowMillis(window * 1000).clockOfCaller();
    }

    @Test
    void holdsEveryIdForTheWindowAndThenForgetsIt() {
        ForgetfulFilter filter =
                ForgetfulFilter.create(seconds(10).expectedPerWindow(10_000).build(), PLENTY, 0);
        // One id a millisecond: an id is its timestamp.
        ArrayDeque<Long> recorded = new ArrayDeque<>();
        for (long now = 0; now < 100_000; now++) {
            if (filter.add(Hashing.hash(now), now)) {
                recorded.addLast(now);
            }
            if (now % 100 == 0) {
                filter.advanceTo(now);
                while (recorded.getFirst() < now - 10_000) {
                    recorded.removeFirst();
                }
                assertThat(recorded).allMatch(id -> filter.mightContain(Hashing.hash(id), id));
            }
        }
        assertThat(filter.idsHeld()).isBetween(10_000L, 13_000L);
        assertThat(filter.coveredSince()).isBetween(80_000L, 90_000L);
        assertThat(filter.predictedFpp()).isBetween(1e-6, 1e-4);
        assertThat(filter.overflows()).isZero();
        filter.advanceTo(Long.MAX_VALUE);
        assertThat(filter.idsHeld()).isZero();
        assertThat(filter.sizeInBytes()).isLessThan(5_500);
    }

    @Test
    void survivesWritingAndReading() throws IOException {
        WindowOptions options = seconds(10).build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, PLENTY, Long.MIN_VALUE);
        for (long id = 0; id < 100_000; id++) {
            filter.add(Hashing.hash(id), id);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        ForgetfulFilter read =
                ForgetfulFilter.readFrom(
                        new ByteArrayInputStream(out.toByteArray()), "test", options, PLENTY);
        for (long id = 0; id < 100_000; id++) {
            assertThat(read.mightContain(Hashing.hash(id), id)).isTrue();
        }
        assertThat(read.idsHeld()).isEqualTo(filter.idsHeld());
    }

    @Test
    void needsOneArrayForWhatWasExpected() {
        WindowOptions options = seconds(10).expectedPerWindow(50_000).build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, PLENTY, 0);
        assertThat(filter.sizeInBytes()).isEqualTo(ForgetfulFilter.expectedBytes(options));
        for (long id = 0; id < 50_000; id++) {
            filter.add(Hashing.hash(id), id / 5);
        }
        assertThat(filter.segments()).hasSize(1);
        assertThat(filter.sizeInBytes()).isEqualTo(ForgetfulFilter.expectedBytes(options));
    }

    @Test
    void beginsSmallWhenToldTo() {
        WindowOptions options = seconds(10).expectedPerWindow(50_000).build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, PLENTY, 0, 0);
        assertThat(filter.sizeInBytes()).isLessThan(ForgetfulFilter.expectedBytes(options) / 50);
        for (long id = 0; id < 1_000; id++) {
            filter.add(Hashing.hash(id), id);
        }
        assertThat(filter.segments()).as("a small array, and one for the expected").hasSize(2);
    }

    @Test
    void isMadeForFewerIdsIfTheBudgetIsSmall() {
        WindowOptions options = seconds(10).expectedPerWindow(50_000).build();
        long bytes = ForgetfulFilter.expectedBytes(options);
        MemoryBudget budget = new MemoryBudget(bytes / 3);
        ForgetfulFilter filter = ForgetfulFilter.create(options, budget, 0);
        assertThat(filter.sizeInBytes()).isBetween(bytes / 8, bytes / 3);
        assertThat(budget.reserved()).isEqualTo(filter.sizeInBytes());
    }

    @Test
    void whatWasForgottenEarlyUnderAClockThatRanAheadIsNotMissedBehindTheNextOne() {
        long wild = Duration.ofDays(3650).toMillis();
        WindowOptions options = seconds(10).expectedPerWindow(1_000).build();
        long enough = ForgetfulFilter.expectedBytes(options);
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(enough), 0);
        filter.advanceTo(wild);
        for (int id = 0; id < 50_000; id++) {
            filter.add(Hashing.hash(id), wild + id / 5);
            filter.advanceTo(wild + id / 5);
        }
        assertThat(filter.overflows()).isPositive();
        assertThat(filter.coveredBehind()).isGreaterThan(wild);
        filter.resetClock();
        filter.advanceTo(100);
        filter.advanceTo(200);
        assertThat(filter.coveredBehind()).isLessThanOrEqualTo(100);
        assertThat(filter.coveredBehind()).isLessThanOrEqualTo(filter.coveredSince());
    }

    @ParameterizedTest
    @CsvSource({
        "0.5, FINGERPRINTS",
        "0.1, QUOTIENT",
        "1e-2, QUOTIENT",
        "1e-3, QUOTIENT",
        "1e-4, QUOTIENT",
        "1e-5, QUOTIENT",
        "1e-6, QUOTIENT",
        "1e-9, QUOTIENT"
    })
    void theDefaultIsTheTableThatTakesLessMemory(double fpp, Layout layout) {
        WindowOptions options =
                WindowOptions.builder().windowMillis(1_000).falsePositiveProbability(fpp).build();
        assertThat(options.layout()).isEqualTo(layout);
    }

    @Test
    void aClosedFilterRefusesEveryCallThatNeedsItsMemory() {
        WindowOptions options = WindowOptions.builder().windowMillis(1_000).build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(1 << 20), 0);
        filter.add(1, 0);
        filter.close();
        for (ThrowingCallable call :
                List.<ThrowingCallable>of(
                        () -> filter.add(1, 0),
                        () -> filter.addOrRenew(1, 0),
                        () -> filter.insert(1, 0),
                        () -> filter.mightContain(1, 0),
                        () -> filter.advanceTo(1),
                        filter::resetClock,
                        filter::predictedFpp,
                        filter::idsHeld,
                        filter::generations,
                        filter::wantedBytes,
                        () -> filter.changeOptions(options),
                        filter::pin)) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("was closed");
        }
    }
}
