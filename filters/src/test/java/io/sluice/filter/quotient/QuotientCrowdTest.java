/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What no uniform hash does: fingerprints crowd, until a block has no number for more that is
 * spilled into it, or the blocks behind the last quotient are full. A filter that was copied, read
 * or filled in order knows of its crowd as the one does that got it piece by piece.
 */
class QuotientCrowdTest {

    private static final int REMAINDER_BITS = 8;

    /** First quotient of a block, so that its run fills the block and what is spilled. */
    private static final long CROWDED = (7L * Blocks.SLOTS) << REMAINDER_BITS;

    private static final int MOST_COPIES = Blocks.SLOTS + Blocks.MAX_SPILL;

    /** The last home block has the quotients from 4080 to 4095. */
    private static final int QUOTIENT_BITS = 12;

    private static final long FIRST_OF_LAST_HOME = 4_080L << REMAINDER_BITS;
    private static final long LAST_QUOTIENT = 4_095L << REMAINDER_BITS;

    /** Copies of one fingerprint. */
    private static final class Copies implements FingerprintCursor {
        private final long fingerprint;
        private int left;

        Copies(long fingerprint, int copies) {
            this.fingerprint = fingerprint;
            this.left = copies;
        }

        @Override
        public int next(long[] into) {
            int n = Math.min(left, into.length);
            Arrays.fill(into, 0, n, fingerprint);
            left -= n;
            return n;
        }

        @Override
        public int fingerprintBits() {
            return 18 + REMAINDER_BITS;
        }
    }

    private static QuotientFilter crowded(int copies) {
        return copiesOf(CROWDED, copies);
    }

    private static QuotientFilter copiesOf(long fingerprint, int copies) {
        return QuotientMerge.append(
                new Copies(fingerprint, copies),
                Blocks.allocate(Storage.HEAP, 18, REMAINDER_BITS),
                0.95,
                false);
    }

    private static byte[] bytes(QuotientFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static QuotientFilter read(QuotientFilter filter) throws IOException {
        return QuotientFilter.readFrom(
                new ByteArrayInputStream(bytes(filter)), "what was written", Storage.HEAP);
    }

    private static void refuses(QuotientFilter filter, long fingerprint, String message)
            throws IOException {
        byte[] before = bytes(filter);
        assertThatThrownBy(() -> filter.insertFingerprint(fingerprint))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining(message);
        assertThat(bytes(filter)).as("nothing changed").isEqualTo(before);
        filter.checkInvariants();
    }

    @Test
    void asManyCopiesAsCanBeSpilledAreHeldAndTheNextOneIsRefused() throws IOException {
        QuotientFilter filter = crowded(MOST_COPIES);
        filter.checkInvariants();
        assertThat(filter.size()).isEqualTo(MOST_COPIES);
        for (QuotientFilter same : List.of(filter, read(filter), filter.copy())) {
            refuses(same, CROWDED, "inserted too often");
        }
        assertThatThrownBy(() -> crowded(MOST_COPIES + 1))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("crowd together");
    }

    @Test
    void theLastCopyThatFitsIsInserted() throws IOException {
        QuotientFilter filter = read(crowded(MOST_COPIES - 1));
        filter.insertFingerprint(CROWDED);
        assertThat(bytes(filter)).isEqualTo(bytes(crowded(MOST_COPIES)));
        refuses(filter, CROWDED, "inserted too often");
    }

    @Test
    void whatBelongsBehindACrowdStillFindsRoom() {
        QuotientFilter filter = crowded(MOST_COPIES);
        long next = CROWDED + ((long) Blocks.SLOTS << REMAINDER_BITS);
        filter.insertFingerprint(next);
        filter.checkInvariants();
        assertThat(filter.containsFingerprint(next)).isTrue();
        assertThat(filter.containsFingerprint(next + 1)).isFalse();
        assertThat(filter.removeFingerprint(CROWDED)).isTrue();
        filter.insertFingerprint(CROWDED);
        filter.checkInvariants();
    }

    /** Also where the new fingerprint's own run is short and in the block that it belongs to. */
    @Test
    void aFullTailTakesNothingMoreFromTheLastQuotients() throws IOException {
        QuotientFilter filter =
                QuotientFilter.builder().bits(QUOTIENT_BITS, REMAINDER_BITS).build();
        for (int i = 0; i < 3; i++) {
            filter.insertFingerprint(FIRST_OF_LAST_HOME + i);
        }
        long room = 9L * Blocks.SLOTS;
        while (filter.size() < room) {
            filter.insertFingerprint(LAST_QUOTIENT + filter.size() % 200);
        }
        QuotientFilter filled =
                QuotientMerge.append(
                        filter.cursor(),
                        Blocks.allocate(Storage.HEAP, QUOTIENT_BITS, REMAINDER_BITS),
                        filter.maxLoad(),
                        false);
        for (QuotientFilter same : List.of(filter, read(filter), filter.copy(), filled)) {
            refuses(same, FIRST_OF_LAST_HOME + 3, "no room after the last quotient");
            refuses(same, FIRST_OF_LAST_HOME + (1 << REMAINDER_BITS), "no room after the last");
            refuses(same, LAST_QUOTIENT, "no room after the last quotient");
        }
        filter.insertFingerprint(FIRST_OF_LAST_HOME - 1);
        assertThat(filter.removeFingerprint(FIRST_OF_LAST_HOME)).isTrue();
        filter.insertFingerprint(FIRST_OF_LAST_HOME + 3);
        filter.checkInvariants();
    }

    @Test
    void filledInOrderTheTailTakesWhatItHasRoomForAndNoMore() {
        long last = ((1L << 18) - 1) << REMAINDER_BITS;
        // 2^18 quotients: the last home has 16 of them, and eight blocks follow.
        int room = 9 * Blocks.SLOTS;
        QuotientFilter filter = copiesOf(last, room);
        filter.checkInvariants();
        assertThat(filter.size()).isEqualTo(room);
        assertThatThrownBy(() -> copiesOf(last, room + 1))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("no room after the last quotient");
    }

    @Test
    void aCopyHoldsTheSameAndGoesItsOwnWay() throws IOException {
        QuotientFilter filter = GoldenFiles.set();
        byte[] before = bytes(filter);
        QuotientFilter copy = filter.copy();
        assertThat(bytes(copy)).isEqualTo(before);
        copy.insertFingerprint(5);
        assertThat(bytes(filter)).isEqualTo(before);
        assertThat(copy.size()).isEqualTo(filter.size() + 1);
        copy.checkInvariants();
        filter.checkInvariants();
    }

    /** 3,000 copies that fit into 2^13 slots, but not after the same share of 2^12. */
    private static QuotientFilter skewed() {
        QuotientFilter filter = QuotientFilter.builder().bits(13, 5).build();
        for (int copy = 0; copy < 3_000; copy++) {
            filter.insertFingerprint(5_000L << 5);
        }
        return filter;
    }

    /** How many copies a filter of nothing else holds. */
    private static long crowd(QuotientFilter filter) {
        long[] held = new long[10_000];
        int copies = filter.cursor().next(held);
        assertThat(Arrays.stream(held, 0, copies)).containsOnly(5_000L << 5);
        return copies;
    }

    @Test
    void aMergeOfCopiesThatCrowdTakesAsManySlotsAsTheyNeed() {
        QuotientFilter empty = QuotientFilter.builder().bits(13, 5).build();
        QuotientFilter sum = QuotientMerge.sum(List.of(skewed(), empty));
        assertThat(sum.size()).isEqualTo(3_000);
        assertThat(crowd(sum)).isEqualTo(3_000);
        QuotientFilter twice = QuotientMerge.sum(List.of(skewed(), skewed()));
        assertThat(crowd(twice)).isEqualTo(6_000);
        assertThat(QuotientMerge.union(List.of(skewed(), empty)).size()).isEqualTo(1);
    }

    @Test
    void aResizeThatCopiesHaveNoRoomForLeavesEverythingAsItWas() {
        QuotientFilter filter = skewed();
        assertThatThrownBy(() -> filter.resize(12))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("quotient bits");
        assertThat(crowd(filter)).isEqualTo(3_000);
        assertThat(filter.quotientBits()).isEqualTo(13);
        filter.resize(14);
        assertThat(crowd(filter)).isEqualTo(3_000);
    }
}
