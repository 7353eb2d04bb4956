/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Criterion;
import io.sluice.filter.Occurrence;
import io.sluice.filter.Seeds;
import io.sluice.filter.Topics;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Times of the ids themselves say what is a duplicate: one within a window before or after one that
 * passed. Neither the clock nor the order in which ids come makes a difference.
 */
class OwnTimesTest {
    private static final long WINDOW = 8_000;
    private static final long SLICE = WINDOW / 8;
    private static final long UNKNOWN = Long.MIN_VALUE;

    private static WindowOptions.Builder options(Layout layout) {
        return WindowOptions.builder()
                .windowMillis(WINDOW)
                .falsePositiveProbability(1e-9)
                .layout(layout);
    }

    private static ForgetfulFilter ofCaller(Layout layout, long now) {
        return ForgetfulFilter.create(
                options(layout).clockOfCaller().build(), new MemoryBudget(64 << 20), now);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anIdIsNewAgainAfterItsWindowThoughTheClockStands(Layout layout) {
        for (long now : new long[] {UNKNOWN, 0}) {
            ForgetfulFilter filter = ofCaller(layout, now);
            assertThat(filter.add(1, 0)).isTrue();
            assertThat(filter.add(1, WINDOW)).isFalse();
            assertThat(filter.add(1, WINDOW + SLICE)).isTrue();
            assertThat(filter.add(1, 3 * WINDOW)).isTrue();
            assertThat(filter.add(1, 4 * WINDOW)).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anEarlierCopyIsADuplicateWithinTheWindowAndNewBeforeIt(Layout layout) {
        ForgetfulFilter filter = ofCaller(layout, UNKNOWN);
        assertThat(filter.add(1, 10 * WINDOW)).isTrue();
        assertThat(filter.add(1, 9 * WINDOW)).isFalse();
        assertThat(filter.add(1, 9 * WINDOW - SLICE)).isTrue();
        assertThat(filter.add(1, 0)).isTrue();
    }

    /** However far apart, and in whichever order; some ids come every few windows. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aThousandWindowsAreToldApartWithoutAClock(Layout layout) {
        ForgetfulFilter filter = ofCaller(layout, UNKNOWN);
        for (int i = 0; i < 1_000; i++) {
            long time = i * 7L % 1_000 * (WINDOW + SLICE);
            assertThat(filter.add(Hashing.hash(i % 3), time)).as("at %d", time).isTrue();
            assertThat(filter.add(Hashing.hash(i % 3), time)).as("at %d", time).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void ofTwoLateCopiesOnePasses(Layout layout) {
        ForgetfulFilter filter = ofCaller(layout, 100 * WINDOW);
        for (long id = 0; id < 10_000; id++) {
            assertThat(filter.add(Hashing.hash(id), 10 * WINDOW + id)).isTrue();
        }
        for (long id = 0; id < 10_000; id++) {
            assertThat(filter.add(Hashing.hash(id), 10 * WINDOW + id)).isFalse();
            assertThat(filter.add(Hashing.hash(id), 30 * WINDOW + id)).isTrue();
        }
        filter.advanceTo(101 * WINDOW);
        assertThat(filter.add(Hashing.hash(1), 10 * WINDOW + 1)).isFalse();
        filter.advanceTo(103 * WINDOW);
        assertThat(filter.idsHeld()).as("a window later they are forgotten").isZero();
    }

    /** Many more than the filter could remember one by one. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void copiesThatAreWildlyAheadAreDuplicatesHoweverManyComeBetween(Layout layout) {
        ForgetfulFilter filter =
                ForgetfulFilter.create(options(layout).build(), new MemoryBudget(64 << 20), 0);
        long wild = 1L << 42;
        for (int round = 0; round < 2; round++) {
            for (long id = 0; id < 5_000; id++) {
                boolean isWild = id % 5 == 0;
                long time = isWild ? wild + id : id;
                assertThat(filter.add(Hashing.hash(id), time)).isEqualTo(round == 0);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aRestoreAfterASilenceLosesNothing(Layout layout) throws IOException {
        WindowOptions options = options(layout).build();
        MemoryBudget budget = new MemoryBudget(64 << 20);
        ForgetfulFilter filter = ForgetfulFilter.create(options, budget, 0);
        for (long id = 0; id < 100; id++) {
            filter.add(Hashing.hash(id), id);
        }
        long later = 1L << 40;
        for (long id = 100; id < 110; id++) {
            assertThat(filter.add(Hashing.hash(id), later + id)).isTrue();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        ForgetfulFilter read =
                ForgetfulFilter.readFrom(
                        new ByteArrayInputStream(out.toByteArray()), "copy", options, budget);
        for (long id = 110; id < 200; id++) {
            assertThat(read.add(Hashing.hash(id), later + id)).isTrue();
        }
        assertThat(read.clock()).isGreaterThan(later);
        for (long id = 100; id < 200; id++) {
            assertThat(read.add(Hashing.hash(id), later + WINDOW)).as("id %d", id).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aClockThatTrailsByManyWindowsTakesMemoryForThatAndNoMore(Layout layout) {
        WindowOptions options = options(layout).expectedPerWindow(1_000).clockOfCaller().build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(64 << 20), 0);
        long most = 0;
        for (long id = 0; id < 400_000; id++) {
            long time = id * WINDOW / 1_000;
            filter.advanceTo(time - 5 * WINDOW);
            assertThat(filter.add(Hashing.hash(id), time)).isTrue();
            most = Math.max(most, filter.sizeInBytes());
        }
        assertThat(filter.overflows()).isZero();
        assertThat(most).isLessThan(40 * ForgetfulFilter.expectedBytes(options));
        filter.advanceTo(400 * WINDOW);
        for (long id = 400_000; id < 420_000; id++) {
            long time = id * WINDOW / 1_000;
            filter.advanceTo(time);
            filter.add(Hashing.hash(id), time);
        }
        assertThat(filter.sizeInBytes()).isLessThan(4 * ForgetfulFilter.expectedBytes(options));
    }

    @Test
    void anyTopicIsJudgedByItsOwnTimes() throws IOException {
        judge(40);
    }

    @Test
    @Tag("long")
    void manyTopicsAreJudgedByTheirOwnTimes() throws IOException {
        judge(2_000);
    }

    private static void judge(int topics) throws IOException {
        for (int i = 0; i < topics; i++) {
            long seed = Seeds.seed(i);
            try {
                judge(new SplittableRandom(seed));
            } catch (AssertionError e) {
                throw new AssertionError("repeat with -Dtest.seed=" + seed, e);
            }
        }
    }

    private static void judge(SplittableRandom random) throws IOException {
        Layout layout = Tables.LAYOUTS[random.nextInt(2)];
        Topics topics = Topics.random(random, WINDOW, 1_700_000_000_000L, 4_000);
        WindowOptions options = options(layout).maxFutureMillis(1L << 50).clockOfCaller().build();
        MemoryBudget budget = new MemoryBudget(256 << 20);
        ForgetfulFilter filter = ForgetfulFilter.create(options, budget, UNKNOWN);
        List<Occurrence> arrivals = topics.arrivals();
        BitSet passed = new BitSet();
        int restoreAt = random.nextInt(arrivals.size());
        for (int i = 0; i < arrivals.size(); i++) {
            Occurrence next = arrivals.get(i);
            passed.set(next.number(), filter.add(Hashing.hash(next.id()), next.time()));
            filter.advanceTo(topics.watermarkAfter(i + 1));
            if (i == restoreAt) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                filter.writeTo(out);
                filter.close();
                filter =
                        ForgetfulFilter.readFrom(
                                new ByteArrayInputStream(out.toByteArray()),
                                "restored",
                                options,
                                budget);
            }
        }
        assertThat(filter.overflows()).isZero();
        Criterion.ofFilters(WINDOW).judge(arrivals, passed).require(0);
    }
}
