/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.memory.Storage;
import org.junit.jupiter.api.Test;

/** Each rule of {@link Blocks}, broken alone: bytes that break it are not taken for a filter. */
class BlockInvariantsTest {

    private static final int REMAINDER_BITS = 8;

    /** Two home blocks, the second with 16 quotients, and two without any. */
    private final Blocks blocks = Blocks.allocate(Storage.HEAP, 6, REMAINDER_BITS);

    private final BlockTable table = BlockTable.empty(blocks);
    private int size;

    private void insert(long quotient, long remainder) {
        table.insert(quotient << REMAINDER_BITS | remainder, false);
        size++;
    }

    private String problem() {
        return new BlockInvariants(blocks).problem(size);
    }

    private void setWord(long word, long bit) {
        blocks.words.set(word, blocks.words.get(word) ^ bit);
    }

    @Test
    void whatWasInsertedIsSound() {
        assertThat(problem()).isEmpty();
        for (int i = 0; i < 60; i++) {
            insert(i % 7 * 9L, i);
            assertThat(problem()).isEmpty();
        }
    }

    @Test
    void theNumberOfFingerprintsIsTheOneThatIsStated() {
        insert(3, 5);
        insert(50, 5);
        size++;
        assertThat(problem()).isEqualTo("holds 2 fingerprints, expected 3");
        size -= 2;
        assertThat(problem()).isEqualTo("holds 2 fingerprints, expected 1");
    }

    @Test
    void theRemaindersOfARunAscend() {
        insert(3, 5);
        insert(3, 9);
        insert(4, 1);
        blocks.flip(0, 0, 5 ^ 9);
        blocks.flip(0, 1, 5 ^ 9);
        assertThat(problem()).isEqualTo("fingerprint 773 comes after 777");
    }

    @Test
    void unusedSlotsAreZeroInEveryBlock() {
        insert(3, 5);
        insert(50, 6);
        setWord(blocks.base(1) + Blocks.HEADER_WORDS, 1L << REMAINDER_BITS);
        assertThat(problem()).isEqualTo("block 1: bits are set where no remainder is");
        setWord(blocks.base(1) + Blocks.HEADER_WORDS, 1L << REMAINDER_BITS);
        setWord(blocks.base(3) + blocks.stride - 1, 1L << 63);
        assertThat(problem()).isEqualTo("block 3: bits are set where no remainder is");
    }

    @Test
    void theWordsBehindTheLastBlockAreZero() {
        insert(3, 5);
        setWord(blocks.base(blocks.count) + 1, 1);
        assertThat(problem()).isEqualTo("the words after the last block are not zero");
        setWord(blocks.base(blocks.count) + 1, 1);
        setWord(blocks.base(blocks.count), 1);
        assertThat(problem()).isEqualTo("the words after the last block are not zero");
    }

    @Test
    void nothingIsSpilledThatNoBlockSpills() {
        insert(3, 5);
        blocks.addSpill(blocks.base(1), 1);
        assertThat(problem()).isEqualTo("block 1: 1 spilled in, expected 0");
    }

    @Test
    void whatIsSpilledIsCounted() {
        for (int i = 0; i < 51; i++) {
            insert(7, i);
        }
        assertThat(problem()).isEmpty();
        blocks.addSpill(blocks.base(1), -1);
        assertThat(problem()).isEqualTo("block 1: 2 spilled in, expected 3");
    }

    @Test
    void onlyQuotientsThatExistHaveRuns() {
        insert(63, 5);
        assertThat(problem()).isEmpty();
        insert(64, 5);
        assertThat(problem()).isEqualTo("block 1: runs of quotients that do not exist");
        assertThat(table.remove(64 << REMAINDER_BITS | 5)).isTrue();
        size--;
        assertThat(problem()).isEmpty();
        insert(100, 5);
        assertThat(problem()).isEqualTo("block 2: runs of quotients that do not exist");
    }

    @Test
    void noRunEndsInASlotThatIsNotUsed() {
        insert(3, 5);
        blocks.setEndsAndUsed(0, 0b11, 1);
        assertThat(problem()).contains("runs end in unused slots");
    }

    @Test
    void noMoreSlotsAreUsedThanThereAre() {
        insert(3, 5);
        blocks.setEndsAndUsed(0, 1, Blocks.SLOTS + 1);
        assertThat(problem()).contains("more slots used than there are");
    }

    @Test
    void theLastUsedSlotIsTheEndOfTheLastRun() {
        insert(3, 5);
        blocks.setEndsAndUsed(0, 0b1, 2);
        assertThat(problem()).isEqualTo("block 0: 2 slots used, but runs say otherwise");
        blocks.setEndsAndUsed(0, 0b11, 2);
        assertThat(problem()).as("two ends of one run").contains("2 slots used");
        blocks.setEndsAndUsed(0, 0b1, 1);
        assertThat(problem()).isEmpty();
    }

    @Test
    void theRunsOfAFullBlockFillIt() {
        for (int quotient = 0; quotient < Blocks.SLOTS; quotient++) {
            insert(quotient, 1);
        }
        assertThat(problem()).isEmpty();
        blocks.words.set(0, blocks.words.get(0) ^ 1);
        blocks.setEndsAndUsed(0, blocks.runEnds(0) ^ 1L << 47, Blocks.SLOTS);
        assertThat(problem()).contains("block 0: said to be full, but its last run ends before");
    }

    @Test
    void theLastRunOfAFullBlockEndsSomewhere() {
        for (int i = 0; i < Blocks.SLOTS; i++) {
            insert(5, i);
        }
        assertThat(problem()).isEmpty();
        blocks.setEndsAndUsed(0, 0, Blocks.SLOTS);
        assertThat(problem()).contains("or nowhere");
    }

    @Test
    void theMostThatIsSpilledIntoABlockIsKnownAfterwards() {
        for (int i = 0; i < 100; i++) {
            insert(7, i);
        }
        BlockInvariants invariants = new BlockInvariants(blocks);
        assertThat(invariants.problem(size)).isEmpty();
        assertThat(invariants.mostSpilled()).isEqualTo(52);
    }
}
