/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static io.sluice.filter.cascade.SmallFilters.hashes;
import static io.sluice.filter.cascade.SmallFilters.small;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** When entries go, step by step; random histories are in {@link CascadeModelTest}. */
class ExpiryTest {
    private static final long START = 1_000_000;

    /** Ten seconds, in buckets of two and a half. */
    private static final CascadeOptions TEN_SECONDS = living(10);

    private final CrashableDirectory directory = new CrashableDirectory();
    private final long[] hashes = hashes(20);

    private static CascadeOptions living(int seconds) {
        return small().timeToLive(Duration.ofSeconds(seconds), 4).build();
    }

    private static long held(CascadeFilter filter, long[] hashes) {
        return Arrays.stream(hashes).filter(filter::mightContain).count();
    }

    @Test
    void eachBucketGoesAtItsOwnTime() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, TEN_SECONDS)) {
            long[] early = Arrays.copyOf(hashes, 10);
            long[] late = Arrays.copyOfRange(hashes, 10, 20);
            filter.advanceTo(START);
            Arrays.stream(early).forEach(filter::add);
            filter.advanceTo(START + 2_500);
            Arrays.stream(late).forEach(filter::add);

            filter.advanceTo(START + 12_499);
            assertThat(held(filter, early)).isEqualTo(10);
            filter.advanceTo(START + 12_500);
            assertThat(held(filter, early)).isZero();
            assertThat(held(filter, late)).isEqualTo(10);
            filter.advanceTo(START + 15_000);
            assertThat(held(filter, late)).isZero();
        }
    }

    @Test
    void aClockThatGoesBackChangesNothing() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, TEN_SECONDS)) {
            filter.advanceTo(START);
            Arrays.stream(hashes).forEach(filter::add);
            for (long behind : new long[] {START - 1, 0, Long.MIN_VALUE + 1}) {
                filter.advanceTo(behind);
                assertThat(filter.time()).isEqualTo(START);
            }
            filter.advanceTo(START + 10_000);
            assertThat(held(filter, hashes)).isEqualTo(20);
            filter.advanceTo(START + 12_500);
            assertThat(held(filter, hashes)).isZero();
        }
    }

    @Test
    void whatHadNoTimeToLiveLivesFromTheFirstTimeThatIsTold() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, small().build())) {
            filter.advanceTo(START);
            Arrays.stream(hashes).forEach(filter::add);
            filter.advanceTo(START + 1_000_000);
            assertThat(held(filter, hashes)).isEqualTo(20);
        }
        goesBetween(START + 2_010_000, START + 2_012_500, START + 2_000_000);
    }

    @Test
    void aLongerTimeToLiveBecomesAShorterOne() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, living(1_000))) {
            filter.advanceTo(START);
            Arrays.stream(hashes).forEach(filter::add);
        }
        goesBetween(START + 11_000, START + 13_500, START + 1_000);
    }

    private void goesBetween(long held, long gone, long told) throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, TEN_SECONDS)) {
            filter.advanceTo(told);
            filter.advanceTo(held);
            assertThat(held(filter, hashes)).isEqualTo(20);
            filter.advanceTo(gone);
            assertThat(held(filter, hashes)).isZero();
        }
    }

    /** Its tombstone goes no earlier than it, whatever the options were. */
    @Test
    void whatWasRemovedDoesNotComeBackWhenItsTombstoneExpires() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, living(100))) {
            filter.advanceTo(START);
            Arrays.stream(hashes).forEach(filter::add);
        }
        try (CascadeFilter filter = CascadeFilter.open(directory, living(1))) {
            Arrays.stream(hashes).forEach(filter::remove);
            for (long time = START; time < START + 150_000; time += 250) {
                filter.advanceTo(time);
                assertThat(held(filter, hashes)).as("at %d", time).isZero();
            }
            assertThat(filter.statistics().entries()).isZero();
        }
    }

    /** As long as the entry that came with the greatest time, by the time that all have reached. */
    @Test
    void entriesOutOfOrderLiveFromTheGreatestTimeAndExpireByTheLeast() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, TEN_SECONDS)) {
            long[] early = Arrays.copyOf(hashes, 10);
            long[] late = Arrays.copyOfRange(hashes, 10, 20);
            filter.advanceTo(START, Long.MIN_VALUE);
            Arrays.stream(early).forEach(filter::add);
            filter.advanceTo(START + 60_000, Long.MIN_VALUE);
            Arrays.stream(late).forEach(filter::add);
            assertThat(held(filter, early)).isEqualTo(10);
            filter.advanceTo(START + 60_000, START + 12_499);
            assertThat(held(filter, early)).isEqualTo(10);
            filter.advanceTo(START + 60_000, START + 12_500);
            assertThat(held(filter, early)).isZero();
            filter.advanceTo(START + 60_000, START + 72_499);
            assertThat(held(filter, late)).as("no time is reached that is ahead").isEqualTo(10);
            filter.advanceTo(START + 72_500, START + 72_500);
            assertThat(held(filter, late)).isZero();
        }
    }

    @Test
    void entriesOutOfOrderKeepTheirTimesAtAnOpening() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, TEN_SECONDS)) {
            filter.advanceTo(START + 60_000, START);
            Arrays.stream(hashes).forEach(filter::add);
        }
        try (CascadeFilter filter = CascadeFilter.open(directory, TEN_SECONDS)) {
            filter.advanceTo(START, START);
            assertThat(filter.time()).isGreaterThanOrEqualTo(START + 60_000);
            filter.advanceTo(START + 72_499, START + 72_499);
            assertThat(held(filter, hashes)).isEqualTo(20);
            filter.advanceTo(START + 72_500, START + 72_500);
            assertThat(held(filter, hashes)).isZero();
        }
    }

    @Test
    void aClockMayBeResetAtAnyTime() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, TEN_SECONDS)) {
            filter.advanceTo(START, Long.MIN_VALUE);
            filter.add(hashes[0]);
            filter.advanceTo(START + 1_000_000, Long.MIN_VALUE);
            filter.add(hashes[1]);
            filter.resetClock();
            filter.advanceTo(START + 20_000, START);
            filter.add(hashes[2]);
            long[] firstThree = Arrays.copyOf(hashes, 3);
            assertThat(held(filter, firstThree)).isEqualTo(3);
            filter.advanceTo(START + 20_000, START + 12_500);
            assertThat(held(filter, firstThree)).isEqualTo(2);
            filter.advanceTo(START + 32_499, START + 32_499);
            assertThat(held(filter, firstThree)).isEqualTo(2);
            filter.advanceTo(START + 32_500, START + 32_500);
            assertThat(held(filter, firstThree)).isZero();
        }
    }

    @Test
    void aClockThatIsResetBeginsWithTheFirstTimeThatIsTold() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, TEN_SECONDS)) {
            filter.advanceTo(START + 1_000_000, START);
            Arrays.stream(hashes).forEach(filter::add);
        }
        try (CascadeFilter filter = CascadeFilter.open(directory, TEN_SECONDS)) {
            filter.resetClock();
            filter.advanceTo(START, Long.MIN_VALUE);
            assertThat(filter.time()).isEqualTo(START);
            filter.advanceTo(START + 12_499, START + 12_499);
            assertThat(held(filter, hashes)).isEqualTo(20);
            filter.advanceTo(START + 12_500, START + 12_500);
            assertThat(held(filter, hashes)).isZero();
        }
    }
}
