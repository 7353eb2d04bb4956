/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Unmixed;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class QuotientFilterTest {

    private static final int Q = 8;
    private static final int R = 6;
    private static final int P = Q + R;

    private static QuotientFilter filter() {
        return QuotientFilter.builder().bits(Q, R).build();
    }

    /** Fills with random fingerprints up to a number of them. */
    private static FingerprintModel fill(QuotientFilter filter, long size) {
        FingerprintModel model = new FingerprintModel();
        SplittableRandom random = Seeds.random();
        while (filter.size() < size) {
            long fingerprint = random.nextLong(1L << filter.fingerprintBits());
            filter.insertFingerprint(fingerprint);
            model.insert(fingerprint);
        }
        return model;
    }

    @Test
    void theFingerprintIsTheHighestBitsOfTheMixedHash() {
        QuotientFilter filter = filter();
        assertThat(filter.fingerprint(Unmixed.hash(-1L))).isEqualTo((1L << P) - 1);
        assertThat(filter.fingerprint(Unmixed.hash(1L << (Long.SIZE - P)))).isEqualTo(1);
        filter.add(Unmixed.hash(5L << (Long.SIZE - P)));
        assertThat(filter.containsFingerprint(5)).isTrue();
        assertThat(filter.mightContain(Unmixed.hash(5L << (Long.SIZE - P) | 12_345))).isTrue();
        assertThat(filter.mightContain(Unmixed.hash(6L << (Long.SIZE - P)))).isFalse();
    }

    @Test
    void addHoldsAFingerprintOnceInsertEveryCopy() {
        QuotientFilter filter = filter();
        assertThat(filter.add(77)).isTrue();
        assertThat(filter.add(77)).isFalse();
        assertThat(filter.count(77)).isEqualTo(1);
        filter.insert(77);
        filter.insert(77, 3);
        assertThat(filter.count(77)).isEqualTo(5);
        assertThat(filter.size()).isEqualTo(5);
        assertThat(filter.remove(77)).isTrue();
        assertThat(filter.count(77)).isEqualTo(4);
        assertThat(filter.removeAll(77)).isEqualTo(4);
        assertThat(filter.mightContain(77)).isFalse();
        filter.checkInvariants();
    }

    /** Batches must answer and leave behind what single calls do. */
    @Test
    void batchesDoWhatSingleCallsDo() {
        SplittableRandom random = Seeds.random();
        QuotientFilter single = QuotientFilter.builder().bits(8, 3).growing().build();
        QuotientFilter batched = QuotientFilter.builder().bits(8, 3).growing().build();
        for (int round = 0; round < 40; round++) {
            int from = random.nextInt(5);
            int length = random.nextInt(100);
            long[] hashes = random.longs(110).toArray();
            boolean[] results = new boolean[hashes.length];
            int hits = batched.mightContainAll(hashes, from, length, results);
            for (int i = from; i < from + length; i++) {
                assertThat(results[i]).isEqualTo(single.mightContain(hashes[i]));
                hits -= results[i] ? 1 : 0;
            }
            assertThat(hits).isZero();
            int added = batched.addAll(hashes, from, length, results);
            for (int i = from; i < from + length; i++) {
                assertThat(results[i]).isEqualTo(single.add(hashes[i]));
                added -= results[i] ? 1 : 0;
            }
            assertThat(added).isZero();
            batched.insertAll(hashes, from, length / 2);
            for (int i = from; i < from + length / 2; i++) {
                single.insert(hashes[i]);
            }
            int removed = batched.removeAll(hashes, from, length);
            for (int i = from; i < from + length; i++) {
                removed -= single.remove(hashes[i]) ? 1 : 0;
            }
            assertThat(removed).isZero();
            assertThat(FingerprintModel.read(batched.cursor(), 9))
                    .isEqualTo(FingerprintModel.read(single.cursor(), 100));
            batched.checkInvariants();
        }
        assertThat(batched.refusedRemovals()).isEqualTo(single.refusedRemovals());
    }

    @Test
    void removalsThatFindNothingAreCounted() {
        QuotientFilter filter = filter();
        filter.add(1L << 60);
        assertThat(filter.remove(1L << 61)).isFalse();
        assertThat(filter.remove(1L << 62)).isFalse();
        assertThat(filter.remove(1L << 60)).isTrue();
        assertThat(filter.refusedRemovals()).isEqualTo(2);
    }

    /** The mistake that a filter cannot see; the counted ones show how often it happens. */
    @Test
    void removingWhatWasNeverAddedRemovesAnEqualFingerprint() {
        QuotientFilter filter = QuotientFilter.builder().bits(10, 2).build();
        FingerprintModel model = fill(filter, 900);
        SplittableRandom random = Seeds.random();
        int wrong = 0;
        for (int i = 0; i < 300; i++) {
            long fingerprint = random.nextLong(1L << 12);
            boolean held = model.remove(fingerprint);
            assertThat(filter.removeFingerprint(fingerprint)).isEqualTo(held);
            wrong += held ? 1 : 0;
        }
        model.mustEqual(filter);
        assertThat(wrong).isPositive();
        assertThat(filter.refusedRemovals()).isEqualTo(300 - wrong);
    }

    @Test
    void isFullAtItsMaximalLoadAndThenUnchanged() {
        QuotientFilter filter = filter();
        FingerprintModel model = fill(filter, filter.capacity());
        assertThat(filter.size()).isEqualTo((long) (0.95 * (1 << Q)));
        assertThat(filter.load()).isCloseTo(0.95, within(0.005));
        long absent = 0;
        while (model.contains(absent)) {
            absent++;
        }
        long fingerprint = absent;
        assertThatThrownBy(() -> filter.addFingerprint(fingerprint))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("2^8 slots")
                .hasMessageContaining("0.95");
        assertThatThrownBy(() -> filter.insert(Unmixed.hash(fingerprint << (Long.SIZE - P))))
                .isInstanceOf(FilterFullException.class);
        assertThat(filter.addFingerprint(model.heldNear(0))).as("is there already").isFalse();
        model.mustEqual(filter);
    }

    @Test
    void copiesThatDoNotAllFitAreNotInsertedAtAll() {
        QuotientFilter filter = filter();
        FingerprintModel model = fill(filter, filter.capacity() - 5);
        assertThatThrownBy(() -> filter.insert(42, 6)).isInstanceOf(FilterFullException.class);
        model.mustEqual(filter);
        filter.insert(42, 5);
        assertThat(filter.count(42)).isGreaterThanOrEqualTo(5);
    }

    @Test
    void growsInsteadIfBuiltTo() {
        QuotientFilter filter = QuotientFilter.builder().bits(4, 10).growing().build();
        FingerprintModel model = fill(filter, 5_000);
        assertThat(filter.quotientBits()).isEqualTo(13);
        assertThat(filter.fingerprintBits()).isEqualTo(14);
        model.mustEqual(filter);
        assertThatThrownBy(() -> fill(filter, 8_000))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("too short to grow");
    }

    @Test
    void hasTheProbabilityAskedForEvenAfterGrowing() {
        QuotientFilter filter =
                QuotientFilter.builder().sized(1_000, 1e-3).growingTo(50_000).build();
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 50_000; i++) {
            filter.insert(random.nextLong());
        }
        assertThat(filter.fpp()).isLessThanOrEqualTo(1e-3).isGreaterThan(4e-4);
        filter.checkInvariants();
    }

    /** Even where short ones would do for the probability. */
    @Test
    void fingerprintsAreLongEnoughToGrowToTheEnd() {
        QuotientFilter filter =
                QuotientFilter.builder().sized(100, 0.9).growingTo(1_000_000).build();
        assertThat(filter.remainderBits() + filter.quotientBits()).isEqualTo(22);
        filter.resize(21);
        assertThat(filter.remainderBits()).isEqualTo(1);
        assertThat(filter.capacity()).isGreaterThanOrEqualTo(1_000_000);
        assertThat(QuotientFilter.builder().sized(100, 0.1).growingTo(100).build().capacity())
                .isGreaterThanOrEqualTo(100);
    }

    @Test
    void resizesDownAndUpWithoutTheKeys() {
        QuotientFilter filter = QuotientFilter.builder().bits(13, 8).build();
        FingerprintModel model = fill(filter, 900);
        double fpp = filter.fpp();
        for (int q : new int[] {10, 12, 16, 10, 20}) {
            filter.resize(q);
            assertThat(filter.remainderBits()).isEqualTo(21 - q);
            model.mustEqual(filter);
            assertThat(filter.fpp()).isEqualTo(fpp);
        }
        assertThatThrownBy(() -> filter.resize(9))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("have room for 486 fingerprints, there are 900");
        assertThatThrownBy(() -> filter.resize(21))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("remainderBits");
        model.mustEqual(filter);
    }

    @Test
    void mergesFiltersThatDivideTheirFingerprintsDifferently() {
        SplittableRandom random = Seeds.random();
        FingerprintModel all = new FingerprintModel();
        QuotientFilter[] filters = new QuotientFilter[7];
        for (int i = 0; i < filters.length; i++) {
            filters[i] = QuotientFilter.builder().bits(6 + i, 12 - i).build();
            long size = i == 3 ? 0 : filters[i].capacity() * (i + 1) / 8;
            while (filters[i].size() < size) {
                // Few enough that filters share some.
                long fingerprint = random.nextLong(1 << 13) << 5;
                filters[i].insertFingerprint(fingerprint);
                all.insert(fingerprint);
            }
        }
        QuotientFilter sum = QuotientMerge.sum(List.of(filters));
        all.mustEqual(sum);
        assertThat(sum.load()).isBetween(0.4, 0.95);
        QuotientFilter union = QuotientMerge.union(List.of(filters));
        union.checkInvariants();
        assertThat(FingerprintModel.read(union.cursor(), 100)).isEqualTo(all.distinct());
        assertThat(union.size()).isLessThan(sum.size());
    }

    @Test
    void aMergedFilterIsTheFilterOfAllInsertions() {
        QuotientFilter one = QuotientFilter.builder().bits(10, 8).build();
        QuotientFilter two = QuotientFilter.builder().bits(10, 8).build();
        SplittableRandom random = Seeds.random();
        QuotientFilter both = QuotientFilter.builder().bits(11, 7).build();
        for (int i = 0; i < 1_800; i++) {
            long hash = random.nextLong();
            (i % 2 == 0 ? one : two).insert(hash);
            both.insert(hash);
        }
        QuotientFilter sum = QuotientMerge.sum(List.of(one, two));
        for (long word = 0; word < both.blocks().words.length(); word++) {
            assertThat(sum.blocks().words.get(word)).isEqualTo(both.blocks().words.get(word));
        }
    }

    @Test
    void refusesToMergeFingerprintsOfDifferentLengths() {
        QuotientFilter other = QuotientFilter.builder().bits(Q, R + 1).build();
        assertThatThrownBy(() -> QuotientMerge.sum(List.of(filter(), other)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("14 and 15 bits");
        assertThatThrownBy(() -> QuotientMerge.sum(List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> QuotientFilter.builder().bits(Q, R).build(other.cursor()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void isMadeOfFingerprintsInAscendingOrder() {
        QuotientFilter wide = QuotientFilter.builder().bits(Q + 3, R - 3).build();
        FingerprintModel model = fill(wide, 100);
        QuotientFilter made = QuotientFilter.builder().bits(Q, R).build(wide.cursor());
        assertThat(made.quotientBits()).isEqualTo(Q);
        model.mustEqual(made);
    }

    @Test
    void refusesFingerprintsThatDoNotFit() {
        QuotientFilter large = QuotientFilter.builder().bits(Q + 1, R - 1).build();
        fill(large, 300);
        assertThatThrownBy(() -> QuotientFilter.builder().bits(Q, R).build(large.cursor()))
                .isInstanceOf(FilterFullException.class);
    }

    @Tag("thorough")
    @Test
    void tooManyCopiesOfOneHashAreRefusedAndChangeNothing() {
        QuotientFilter filter = QuotientFilter.builder().bits(18, 8).build();
        long hash = Unmixed.hash(1L << 40);
        filter.insert(hash, Blocks.MAX_SPILL);
        long held = filter.size();
        assertThatThrownBy(() -> filter.insert(hash, 200))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("inserted too often");
        assertThat(filter.size()).isEqualTo(held);
        filter.checkInvariants();
        filter.insert(-1L);
        assertThat(filter.mightContain(-1L)).isTrue();
        assertThat(filter.removeAll(hash)).isEqualTo(Blocks.MAX_SPILL);
        filter.checkInvariants();
    }

    @Test
    void whatCrowdsAtTheEndIsRefusedWhenTheTailIsFull() {
        QuotientFilter filter = QuotientFilter.builder().bits(12, 8).build();
        long last = (1L << 20) - 1;
        long size = 0;
        try {
            for (; size < filter.capacity(); size++) {
                filter.insertFingerprint(last - size);
            }
        } catch (FilterFullException e) {
            assertThat(e).hasMessageContaining("no room after the last quotient");
        }
        assertThat(size).isBetween(8L * Blocks.SLOTS, 11L * Blocks.SLOTS);
        assertThat(filter.size()).isEqualTo(size);
        filter.checkInvariants();
        assertThat(filter.containsFingerprint(last - size)).isFalse();
        assertThat(filter.removeFingerprint(last)).isTrue();
        filter.insertFingerprint(last);
        filter.insertFingerprint(1);
        filter.checkInvariants();
    }

    @Test
    void removingAllCopiesIsNoRemovalOfWhatIsNotThere() {
        QuotientFilter filter = QuotientFilter.builder().bits(6, 8).build();
        filter.insert(1L, 3);
        assertThat(filter.removeAll(1L)).isEqualTo(3);
        assertThat(filter.removeAll(1L)).isZero();
        assertThat(filter.refusedRemovals()).isZero();
    }

    @Test
    void memoryIsGivenBackByAResizeAndWhenTheFilterIsClosed() {
        QuotientFilter filter =
                QuotientFilter.builder().bits(6, 8).storage(Storage.OFF_HEAP).build();
        filter.add(1L);
        Words old = filter.blocks().words;
        filter.resize(7);
        assertThatThrownBy(() -> old.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(filter.mightContain(1L)).isTrue();
        Words last = filter.blocks().words;
        filter.close();
        assertThatThrownBy(() -> last.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aBatchNoticesBitsThatNoFilterSets() {
        QuotientFilter filter = QuotientFilter.builder().bits(6, 8).build();
        long[] hashes = LongStream.range(0, 100).toArray();
        boolean[] results = new boolean[hashes.length];
        assertThat(filter.mightContainAll(hashes, 0, hashes.length, results)).isZero();
        Words words = filter.blocks().words;
        words.set(1, words.get(1) | 1L << 63);
        assertThatThrownBy(() -> filter.mightContainAll(hashes, 0, hashes.length, results))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("memory was damaged");
    }

    @Test
    void refusesImpossibleShapes() {
        assertThatThrownBy(() -> QuotientFilter.builder().build()).hasMessageContaining("sized");
        assertThatThrownBy(() -> QuotientFilter.builder().bits(0, 5).build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> QuotientFilter.builder().bits(37, 5).build())
                .hasMessageContaining("quotientBits must be between 1 and 36, got 37");
        assertThatThrownBy(() -> QuotientFilter.builder().bits(10, 54).build())
                .hasMessageContaining("remainderBits must be between 1 and 53");
        assertThatThrownBy(() -> QuotientFilter.builder().bits(10, 5).maxLoad(1.01).build())
                .hasMessageContaining("maxLoad");
        assertThatThrownBy(() -> QuotientFilter.builder().sized(0, 0.1).build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> QuotientFilter.builder().sized(100, 0).build())
                .hasMessageContaining("fpp");
        assertThatThrownBy(() -> QuotientFilter.builder().sized(100, 0.1).growingTo(99).build())
                .hasMessageContaining("growingTo");
    }

    @Test
    void refusesToDivideFingerprintsWhereNothingIsLeft() {
        QuotientFilter filter = QuotientFilter.builder().bits(4, 2).build();
        assertThatThrownBy(() -> filter.resize(0)).hasMessageContaining("quotientBits must be");
        assertThatThrownBy(() -> filter.resize(6)).hasMessageContaining("remainderBits must be");
        for (long fingerprint = 0; fingerprint < 15; fingerprint++) {
            filter.insertFingerprint(fingerprint);
        }
        List<QuotientFilter> many = Collections.nCopies(5, filter);
        assertThatThrownBy(() -> QuotientMerge.sum(many))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("too short for so many quotients");
        assertThat(filter.size()).isEqualTo(15);
    }
}
