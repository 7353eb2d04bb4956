/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.TwoSides.Method;
import io.sluice.filter.memory.Storage;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MultisetDifferenceTest {

    @Tag("thorough")
    @Test
    void whatSharesNoFingerprintIsFoundExactly() {
        exact(60);
    }

    @Test
    @Tag("long")
    void whatSharesNoFingerprintIsFoundExactlyInManyPairs() {
        exact(3_000);
    }

    private static void exact(int pairs) {
        int checked = 0;
        for (int pair = 0; pair < pairs; pair++) {
            SplittableRandom random = new SplittableRandom(Seeds.seed(pair));
            int each = 1 + random.nextInt(600);
            TwoSides sides = TwoSides.random(random, each, random.nextInt(each + 1), 20);
            // Room for the union, so that a filter of it can tell who collides with whom.
            CuckooShape shape =
                    new CuckooShape(
                            6 + random.nextInt(10),
                            5 + random.nextInt(4),
                            CuckooShape.sized(2L * each, 0.1, 4).buckets());
            long seed = random.nextLong();
            Set<Long> collided = collided(sides, shape, seed);
            for (Collisions collisions : Collisions.values()) {
                MultisetDigest a =
                        MultisetDigest.of(TwoSides.root(sides.a), shape, collisions, seed);
                MultisetDigest b =
                        MultisetDigest.of(TwoSides.root(sides.b), shape, collisions, seed);
                for (Method method : Method.values()) {
                    checked += check(sides.a, sides.b, a, b, collided, method);
                    checked += check(sides.b, sides.a, b, a, collided, method);
                }
            }
        }
        assertThat(checked).isGreaterThan(pairs * 500);
    }

    /** Elements whose fingerprint and buckets another element, of either side, has too. */
    private static Set<Long> collided(TwoSides sides, CuckooShape shape, long seed) {
        CountingCuckooFilter all = CountingCuckooFilter.create(shape, Storage.HEAP);
        for (long hash : sides.elements()) {
            all.insertSeparately(MultisetDigest.remix(hash, seed), 1);
        }
        Set<Long> collided = new HashSet<>();
        long[] counts = new long[8];
        for (long hash : sides.elements()) {
            if (all.slotCounts(MultisetDigest.remix(hash, seed), counts) > 1) {
                collided.add(hash);
            }
        }
        return collided;
    }

    private static int check(
            Map<Long, Long> own,
            Map<Long, Long> peers,
            MultisetDigest ownDigest,
            MultisetDigest peerDigest,
            Set<Long> collided,
            Method method) {
        MultisetDifference difference = TwoSides.difference(method, own, ownDigest, peerDigest);
        Map<Long, Long> missing = TwoSides.atPeer(difference.missing());
        Map<Long, Long> fewer = TwoSides.atPeer(difference.fewer());
        Map<Long, Long> more = TwoSides.atPeer(difference.more());
        Map<Long, Long> undecided = TwoSides.atPeer(difference.undecided());
        if (method == Method.QUERY) {
            assertThat(missing.keySet())
                    .as("a cuckoo filter denies nothing it has")
                    .doesNotContainAnyElementsOf(peers.keySet());
        }
        int checked = 0;
        for (Map.Entry<Long, Long> element : own.entrySet()) {
            long hash = element.getKey();
            if (collided.contains(hash)) {
                continue;
            }
            checked++;
            Long theirs = peers.get(hash);
            boolean absent = theirs == null;
            assertThat(missing.containsKey(hash)).isEqualTo(absent);
            assertThat(fewer.get(hash))
                    .isEqualTo(absent || theirs >= element.getValue() ? null : theirs);
            assertThat(more.get(hash))
                    .isEqualTo(absent || theirs <= element.getValue() ? null : theirs);
            assertThat(undecided).doesNotContainKey(hash);
        }
        return checked;
    }

    /** Many fingerprints are shared: rounds with other seeds find what the first ones missed. */
    @ParameterizedTest
    @EnumSource
    void roundsWithOtherSeedsEndAtTheUnion(Method method) {
        for (int pair = 0; pair < 20; pair++) {
            SplittableRandom random = new SplittableRandom(Seeds.seed(pair));
            for (Collisions collisions : Collisions.values()) {
                TwoSides sides = TwoSides.random(random, 400, random.nextInt(400), 30);
                Map<Long, Long> union = sides.union();
                CuckooShape shape = new CuckooShape(5, 4, 250);
                int rounds = 0;
                while (!sides.sendRound(shape, collisions, method, random.nextLong())) {
                    // Nothing wrong is ever recorded on the way.
                    sides.a.forEach(
                            (hash, copies) ->
                                    assertThat(copies).isLessThanOrEqualTo(union.get(hash)));
                    rounds++;
                    assertThat(rounds).as("%s %s", collisions, method).isLessThan(20);
                }
                assertThat(sides.a).isEqualTo(union);
                assertThat(sides.b).isEqualTo(union);
            }
        }
    }

    /** Two elements of one side that collide, with equal or different counts on the other. */
    @Test
    void elementsThatShareAFingerprintAreNotTakenForEachOther() {
        CuckooShape shape = new CuckooShape(4, 8, 20);
        long x = 1;
        long y = collidingWith(x, shape);
        Map<Long, Long> both = Map.of(x, 3L, y, 5L);
        MultisetDigest digest =
                MultisetDigest.of(TwoSides.root(both), shape, Collisions.SEPARATE, 0);
        for (Method method : Method.values()) {
            MultisetDifference none = TwoSides.difference(method, both, digest, digest);
            assertThat(sizes(none)).containsExactly(0, 0, 0, 0);
        }
        Map<Long, Long> one = Map.of(x, 3L);
        MultisetDigest ofOne = MultisetDigest.of(TwoSides.root(one), shape, Collisions.SEPARATE, 0);
        MultisetDifference decoded =
                MultisetDifference.byDecoding(TwoSides.root(both), digest, ofOne);
        assertThat(TwoSides.atPeer(decoded.missing())).isEqualTo(Map.of(y, 0L));
        assertThat(sizes(decoded)).containsExactly(1, 0, 0, 0);
        Map<Long, Long> other = Map.of(x, 4L, y, 6L);
        MultisetDigest ofOther =
                MultisetDigest.of(TwoSides.root(other), shape, Collisions.SEPARATE, 0);
        for (Method method : Method.values()) {
            MultisetDifference undecided = TwoSides.difference(method, both, digest, ofOther);
            assertThat(sizes(undecided)).containsExactly(0, 0, 0, 2);
            assertThat(undecided.undecided().atPeer(0)).isEqualTo(6);
        }
    }

    /** A merged slot of one's own side is recognised by its count. */
    @Test
    void aSharedSlotOfOnesOwnIsUndecidedUnlessThePeerHasNone() {
        CuckooShape shape = new CuckooShape(4, 8, 20);
        long x = 1;
        long y = collidingWith(x, shape);
        Map<Long, Long> both = Map.of(x, 3L, y, 5L);
        MultisetDigest ofBoth = MultisetDigest.of(TwoSides.root(both), shape, Collisions.MERGED, 0);
        MultisetDigest ofOne =
                MultisetDigest.of(TwoSides.root(Map.of(x, 3L)), shape, Collisions.MERGED, 0);
        MultisetDigest ofNone =
                MultisetDigest.of(TwoSides.root(Map.of()), shape, Collisions.MERGED, 0);
        RootSet root = TwoSides.root(both);
        assertThat(sizes(MultisetDifference.byDecoding(root, ofBoth, ofOne)))
                .containsExactly(0, 0, 0, 2);
        assertThat(sizes(MultisetDifference.byDecoding(root, ofBoth, ofNone)))
                .containsExactly(2, 0, 0, 0);
        assertThat(sizes(MultisetDifference.byDecoding(root, ofBoth, ofBoth)))
                .containsExactly(0, 0, 0, 0);
    }

    private static long collidingWith(long x, CuckooShape shape) {
        CountingCuckooFilter filter = CountingCuckooFilter.create(shape, Storage.HEAP);
        filter.insert(MultisetDigest.remix(x, 0), 1);
        long y = x + 1;
        while (!filter.mightContain(MultisetDigest.remix(y, 0))) {
            y++;
        }
        return y;
    }

    private static int[] sizes(MultisetDifference difference) {
        return new int[] {
            difference.missing().size(),
            difference.fewer().size(),
            difference.more().size(),
            difference.undecided().size()
        };
    }

    @ParameterizedTest
    @EnumSource
    void saturatedCountsAreUnknown(Method method) {
        CuckooShape shape = new CuckooShape(16, 3, 100);
        Map<Long, Long> a = Map.of(1L, 7L, 2L, 900L, 3L, 50L, 4L, 5L, 5L, 1L << 40);
        Map<Long, Long> b = Map.of(1L, 7L, 2L, 800L, 3L, 6L, 4L, 60L);
        MultisetDigest ofA = MultisetDigest.of(TwoSides.root(a), shape, Collisions.SEPARATE, 9);
        MultisetDigest ofB = MultisetDigest.of(TwoSides.root(b), shape, Collisions.SEPARATE, 9);
        MultisetDifference difference = TwoSides.difference(method, a, ofA, ofB);
        assertThat(TwoSides.atPeer(difference.undecided())).isEqualTo(Map.of(1L, 7L, 2L, 7L));
        assertThat(TwoSides.atPeer(difference.fewer())).isEqualTo(Map.of(3L, 6L));
        assertThat(difference.fewer().difference(0)).isEqualTo(44);
        assertThat(TwoSides.atPeer(difference.more())).isEqualTo(Map.of(4L, 7L));
        assertThat(difference.more().difference(0)).as("at least").isEqualTo(2);
        assertThat(TwoSides.atPeer(difference.missing())).isEqualTo(Map.of(5L, 0L));
        assertThat(difference.missing().multiplicity(0)).isEqualTo(1L << 40);
    }

    @Test
    void refusesDigestsThatDoNotMatch() {
        RootSet set = TwoSides.root(Map.of(1L, 2L));
        CuckooShape shape = new CuckooShape(12, 4, 10);
        MultisetDigest own = MultisetDigest.of(set, shape, Collisions.SEPARATE, 1);
        MultisetDigest[] others = {
            MultisetDigest.of(set, shape, Collisions.SEPARATE, 2),
            MultisetDigest.of(set, shape, Collisions.MERGED, 1),
            MultisetDigest.of(set, new CuckooShape(12, 4, 12), Collisions.SEPARATE, 1)
        };
        for (MultisetDigest other : others) {
            assertThatThrownBy(() -> MultisetDifference.byDecoding(set, own, other))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the same shape, seed and way with collisions");
        }
        RootSet none = TwoSides.root(Map.of(1L, 0L));
        for (ThrowingCallable refused :
                List.<ThrowingCallable>of(
                        () -> MultisetDifference.byQuery(none, own),
                        () -> MultisetDifference.byDecoding(none, own, own),
                        () -> MultisetDigest.of(none, shape, Collisions.SEPARATE, 1))) {
            assertThatThrownBy(refused)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("multiplicity");
        }
        assertThatThrownBy(() -> new ElementList().hash(0))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
