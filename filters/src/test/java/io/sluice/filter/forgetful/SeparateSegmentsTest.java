/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.forgetful.Segment.Role;
import io.sluice.filter.hash.Hashing;
import org.junit.jupiter.api.Test;

/** Ids that would hold up the others, and for how long their arrays get more. */
class SeparateSegmentsTest {

    private static final long WINDOW = 8_000;
    private static final long CLOCK = 100 * WINDOW;

    private final WindowOptions options =
            WindowOptions.builder()
                    .windowMillis(WINDOW)
                    .falsePositiveProbability(1e-9)
                    .clockOfCaller()
                    .build();
    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final MemoryBudget.Claim claim = budget.claim();
    private final HeldSegments held = new HeldSegments(claim);
    private final SegmentAllocator allocator = new SegmentAllocator(claim);
    private final SeparateSegments apart = new SeparateSegments(allocator, held);
    private long nextId;

    SeparateSegmentsTest() {
        held.begin(allocator.createFirst(options, 1_000));
    }

    private Role role(long time) {
        return apart.role(time, CLOCK, options);
    }

    private boolean insert(Role role, long time, long clock) {
        long hash = Hashing.hash(nextId++);
        return apart.insert(role, hash, hash, time, time, clock, options);
    }

    private boolean holds(long id, long time) {
        NearbySlices reach = new NearbySlices(WINDOW, Slices.sliceMillis(options)).of(time);
        return held.holds(Hashing.hash(id), reach);
    }

    @Test
    void idsMoreThanAWindowFromTheClockAreKeptApart() {
        assertThat(role(CLOCK)).isEqualTo(Role.MAIN);
        assertThat(role(CLOCK + WINDOW)).isEqualTo(Role.MAIN);
        assertThat(role(CLOCK + WINDOW + 1)).isEqualTo(Role.AHEAD);
        assertThat(role(CLOCK - WINDOW)).isEqualTo(Role.MAIN);
        assertThat(role(CLOCK - WINDOW - 1)).isEqualTo(Role.LATE);
    }

    @Test
    void withoutAClockNoneIs() {
        assertThat(apart.role(0, Long.MIN_VALUE, options)).isEqualTo(Role.MAIN);
        assertThat(apart.role(CLOCK, Long.MIN_VALUE, options)).isEqualTo(Role.MAIN);
    }

    /** As when a watermark trails by more than the window: that is the pace of the stream. */
    @Test
    void whereMostIdsAreAheadTheyAreNotKeptApart() {
        long ahead = CLOCK + 5 * WINDOW;
        for (int i = 0; i < 1_000; i++) {
            role(ahead);
        }
        assertThat(role(ahead)).isEqualTo(Role.MAIN);
        for (int i = 0; i < 1_000; i++) {
            role(CLOCK);
        }
        assertThat(role(ahead)).isEqualTo(Role.AHEAD);
    }

    @Test
    void aFewAheadAmongOthersStayApart() {
        for (int i = 0; i < 10_000; i++) {
            Role expected = i % 3 == 0 ? Role.AHEAD : Role.MAIN;
            assertThat(role(i % 3 == 0 ? CLOCK + 5 * WINDOW : CLOCK)).isEqualTo(expected);
        }
    }

    @Test
    void eachKindHasAnArrayOfItsOwn() {
        assertThat(insert(Role.LATE, 7, CLOCK)).isTrue();
        assertThat(insert(Role.AHEAD, 2 * CLOCK, CLOCK)).isTrue();
        assertThat(held.current().generations.idsHeld()).isZero();
        assertThat(held.apart(Role.LATE).generations.idsHeld()).isEqualTo(1);
        assertThat(held.apart(Role.AHEAD).generations.idsHeld()).isEqualTo(1);
        assertThat(holds(0, 7)).isTrue();
        assertThat(holds(1, 2 * CLOCK)).isTrue();
        assertThat(insert(Role.LATE, 8, CLOCK)).isTrue();
        assertThat(held.older()).hasSize(2);
    }

    @Test
    void lateIdsAreKeptForAWindowOfTheClockFromWhenTheyCame() {
        insert(Role.LATE, 7, CLOCK);
        assertThat(held.apart(Role.LATE).generations.newestKept(CLOCK)).isEqualTo(CLOCK);
        insert(Role.LATE, 7, CLOCK + 5);
        assertThat(held.apart(Role.LATE).generations.newestKept(CLOCK)).isEqualTo(CLOCK + 5);
    }

    /** Those that come after a window would keep the first ones for ever. */
    /** More than half of the ids that the first array of a role is made for. */
    private int fillHalf(Role role, long kept) {
        insert(role, kept, CLOCK);
        int many = (int) held.apart(role).capacity / 2 + 1;
        for (int i = 1; i < many; i++) {
            insert(role, kept, CLOCK);
        }
        return many;
    }

    @Test
    void anArrayWithManyLateIdsIsFollowedByAnotherAfterAWindow() {
        int many = fillHalf(Role.LATE, 7);
        Segment first = held.apart(Role.LATE);
        insert(Role.LATE, 7, CLOCK + WINDOW - 1);
        assertThat(held.apart(Role.LATE)).isSameAs(first);
        insert(Role.LATE, 7, CLOCK + WINDOW);
        assertThat(held.apart(Role.LATE)).isNotSameAs(first);
        assertThat(first.generations.idsHeld()).isEqualTo(many + 1);
        assertThat(held.older()).hasSize(2);
    }

    @Test
    void anArrayWithManyIdsAheadIsFollowedByAnotherWhenTheClockComesNear() {
        long ahead = CLOCK + 5 * WINDOW;
        insert(Role.AHEAD, ahead + 3 * WINDOW, CLOCK);
        int many = fillHalf(Role.AHEAD, ahead);
        Segment first = held.apart(Role.AHEAD);
        insert(Role.AHEAD, ahead, ahead - WINDOW / 2 - 1);
        assertThat(held.apart(Role.AHEAD)).isSameAs(first);
        insert(Role.AHEAD, ahead + 5 * WINDOW, ahead - WINDOW / 2);
        assertThat(held.apart(Role.AHEAD)).isNotSameAs(first);
        assertThat(first.generations.idsHeld()).isEqualTo(many + 2);
    }

    @Test
    void afterARestoreTheArraysGetIdsForNoLonger() {
        long ahead = CLOCK + 5 * WINDOW;
        fillHalf(Role.AHEAD, ahead);
        fillHalf(Role.LATE, 7);
        Segment firstAhead = held.apart(Role.AHEAD);
        Segment firstLate = held.apart(Role.LATE);
        SeparateSegments restored = new SeparateSegments(allocator, held);
        restored.restore(CLOCK, options);
        restored.insert(Role.LATE, 1, 1, 7, 7, CLOCK + WINDOW, options);
        assertThat(held.apart(Role.LATE)).isNotSameAs(firstLate);
        long near = ahead - WINDOW / 2;
        restored.insert(Role.AHEAD, 2, 2, 2 * ahead, 2 * ahead, near, options);
        assertThat(held.apart(Role.AHEAD)).isNotSameAs(firstAhead);
    }

    @Test
    void aFullArrayIsFollowedByALargerOneAndNoIdIsLost() {
        for (int i = 0; i < 5_000; i++) {
            assertThat(insert(Role.LATE, i, CLOCK)).isTrue();
        }
        assertThat(held.older()).hasSizeBetween(2, 4);
        assertThat(held.ids()).isEqualTo(5_000);
        for (int i = 0; i < 5_000; i++) {
            assertThat(holds(i, i)).isTrue();
        }
    }

    @Test
    void withoutMemoryAnIdIsRefusedUntilSomethingChanges() {
        long left = claim.available();
        claim.reserve(left);
        assertThat(insert(Role.LATE, 7, CLOCK)).isFalse();
        assertThat(insert(Role.LATE, 7, CLOCK)).isFalse();
        assertThat(held.older()).isEmpty();
        claim.release(left);
        assertThat(insert(Role.LATE, 7, CLOCK)).isTrue();
    }

    @Test
    void withoutMemoryForAnotherAnArrayThatIsDueGoesOn() {
        fillHalf(Role.LATE, 7);
        Segment first = held.apart(Role.LATE);
        claim.reserve(claim.available());
        assertThat(insert(Role.LATE, 7, CLOCK + WINDOW)).isTrue();
        assertThat(held.apart(Role.LATE)).isSameAs(first);
    }

    @Test
    void anArrayWithFewIdsIsNotFollowedByAnother() {
        for (int i = 0; i < 10; i++) {
            assertThat(insert(Role.LATE, 7, CLOCK + i * WINDOW)).isTrue();
        }
        assertThat(held.older()).hasSize(1);
    }

    /** It may go on from an earlier time. */
    @Test
    void whenTheClockStopsTheArraysGetNoMoreIds() {
        insert(Role.LATE, 7, CLOCK);
        apart.clockStops();
        assertThat(held.apart(Role.LATE)).isNull();
        assertThat(holds(0, 7)).isTrue();
    }
}
