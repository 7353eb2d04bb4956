/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.PlaneSizing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One array: which slices are looked into, and how its planes are used again. */
class SegmentTest {

    private static final double FPP = 1e-12;
    private static final long WINDOW = 80;
    private static final long SLICE = 10;

    /** The times of all slices that have a plane of their own. */
    private static final long ROUND = 16 * SLICE;

    private static Segment segment(Layout layout, long ids) {
        return Segment.create(
                PlaneSizing.geometry(layout, FPP, ids), ids, FPP, Segment.Role.MAIN, SLICE);
    }

    private static boolean insert(Segment segment, long id, long time) {
        long hash = Hashing.hash(id);
        return segment.insert(hash, hash, SaturatedTime.slice(time, SLICE), time, time);
    }

    private static boolean holds(Segment segment, long id, long time) {
        return segment.holds(Hashing.hash(id), new NearbySlices(WINDOW, SLICE).of(time));
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anIdIsFoundByItsOwnTimeAWindowBeforeAndAfterAndASliceMoreAtMost(Layout layout) {
        for (long time : new long[] {-5 * ROUND - 3, -1, 0, 7, 1_000_000_007L * ROUND + 5}) {
            Segment segment = segment(layout, 100);
            assertThat(insert(segment, 1, time)).isTrue();
            for (long other = time - 2 * ROUND; other <= time + 2 * ROUND; other++) {
                long away = Math.abs(other - time);
                boolean held = holds(segment, 1, other);
                if (away <= WINDOW) {
                    assertThat(held).as("%d ms away", away).isTrue();
                } else if (away >= WINDOW + SLICE) {
                    assertThat(held).as("%d ms away", away).isFalse();
                }
            }
        }
    }

    /** The planes are used again before what was in them is forgotten. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void slicesThatShareAPlaneAreToldApart(Layout layout) {
        Segment segment = segment(layout, 1_000);
        for (long id = 0; id < 500; id++) {
            assertThat(insert(segment, id, id * ROUND)).isTrue();
        }
        assertThat(Long.bitCount(segment.generations.live())).isEqualTo(1);
        for (long id = 0; id < 500; id++) {
            assertThat(holds(segment, id, id * ROUND)).isTrue();
            assertThat(holds(segment, id, (id + 1) * ROUND)).isFalse();
            assertThat(holds(segment, id, (id + 16) * ROUND)).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void anIdOfItsOwnSliceIsToldFromOneOfTheNext(Layout layout) {
        Segment segment = segment(layout, 100);
        insert(segment, 1, 23);
        assertThat(segment.holdsInSlice(Hashing.hash(1L), 29)).isTrue();
        assertThat(segment.holdsInSlice(Hashing.hash(1L), 30)).isFalse();
        assertThat(segment.holdsInSlice(Hashing.hash(1L), 23 + ROUND)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aPlaneThatIsRetiredFindsNothingAndIsEmptiedBeforeItIsUsedAgain(Layout layout) {
        Segment segment = segment(layout, 100);
        insert(segment, 1, 5);
        insert(segment, 2, 15);
        segment.retire(1L << segment.plane(0));
        assertThat(holds(segment, 1, 5)).isFalse();
        assertThat(holds(segment, 2, 15)).isTrue();
        assertThat(insert(segment, 3, 6)).isTrue();
        assertThat(holds(segment, 3, 6)).isTrue();
        assertThat(holds(segment, 1, 5)).isFalse();
        assertThat(segment.generations.idsHeld()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aFullArrayRefusesAnIdAndStaysAsItWas(Layout layout) {
        Segment segment = segment(layout, 8);
        long id = 0;
        while (insert(segment, id, 5)) {
            id++;
        }
        assertThat(segment.generations.idsHeld()).isEqualTo(id);
        assertThat(insert(segment, id, 15)).as("in another plane").isFalse();
        assertThat(segment.generations.live()).isEqualTo(1L << segment.plane(0));
        assertThat(holds(segment, id, 15)).isFalse();
        for (long held = 0; held < id; held++) {
            assertThat(holds(segment, held, 5)).isTrue();
        }
    }

    /** After the window was changed: the array keeps its own slices until it is forgotten. */
    @Test
    void aLookupWithOtherSlicesFindsWhatIsInReachOfItsTime() {
        Segment segment = segment(Layout.QUOTIENT, 100);
        insert(segment, 1, 1_000);
        for (long window : new long[] {8, 800, 8_000}) {
            NearbySlices reach = new NearbySlices(window, window / 8);
            long hash = Hashing.hash(1L);
            assertThat(segment.holds(hash, reach.of(1_000 - window))).isTrue();
            assertThat(segment.holds(hash, reach.of(1_000 + window))).isTrue();
            assertThat(segment.holds(hash, reach.of(1_000 - window - SLICE))).isFalse();
            assertThat(segment.holds(hash, reach.of(1_000 + window + SLICE))).isFalse();
        }
    }

    /** A window that was made a million times as long must not make lookups as slow. */
    @Test
    void ofVeryManyEpochsTheNearestAreAsked() {
        Segment segment = segment(Layout.QUOTIENT, 100);
        insert(segment, 1, 0);
        insert(segment, 2, 1_000_000 * ROUND);
        insert(segment, 3, 500_000 * ROUND);
        NearbySlices reach =
                new NearbySlices(1_000_000 * ROUND, 125_000 * ROUND).of(500_000 * ROUND);
        assertThat(segment.holds(Hashing.hash(3L), reach)).isTrue();
    }

    @Test
    void anIdThatIsRenewedMakesItsSliceLast() {
        Segment segment = segment(Layout.QUOTIENT, 100);
        insert(segment, 1, 2);
        segment.extend(9, 50);
        assertThat(segment.generations.kept(segment.plane(0))).isEqualTo(50);
        assertThat(segment.generations.end(segment.plane(0))).isEqualTo(9);
        assertThat(segment.generations.idsHeld()).isEqualTo(1);
    }

    @Test
    void anEmptyArrayHoldsNothingAndErrsNever() {
        Segment segment = segment(Layout.QUOTIENT, 100);
        NearbySlices reach = new NearbySlices(WINDOW, SLICE).of(0);
        assertThat(segment.predictedFpp(1 << 10, reach)).isZero();
        insert(segment, 1, 0);
        assertThat(segment.predictedFpp(1 << 10, reach)).isPositive();
        assertThat(segment.predictedFpp(1 << 10, reach.of(2 * WINDOW)))
                .as("for an id that has none in reach")
                .isZero();
        segment.clear();
        assertThat(holds(segment, 1, 0)).isFalse();
        assertThat(segment.generations.live()).isZero();
        assertThat(segment.predictedFpp(1 << 10, reach.of(0))).isZero();
    }

    @Test
    void anArrayIsMadeForAWindowAndAQuarter() {
        assertThat(segment(Layout.QUOTIENT, 1_250).windowCapacity()).isEqualTo(1_000);
    }
}
