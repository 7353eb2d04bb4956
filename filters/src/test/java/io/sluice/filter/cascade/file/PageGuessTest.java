/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PageGuessTest {

    private static final int LINE_BYTES = 64;
    private static final int HASH_BITS = 40;

    @Test
    void evenlySpreadEntriesAreMostlyWhereTheyAreGuessed() {
        long[] entries = RandomEntries.even(new SplittableRandom(1), 300_000, HASH_BITS, 0, 3);
        PageEncoder encoder = new PageEncoder(HASH_BITS);
        ByteBuffer page = ByteBuffer.allocate(PageLayout.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long[] firsts = new long[entries.length];
        int pages = 0;
        for (int at = 0; at < entries.length; pages++) {
            firsts[pages] = entries[at];
            at += encoder.countThatFits(entries, at, entries.length, false);
        }
        PageIndex index = new PageIndex(firsts, pages);
        LevelFileInfo info = info(entries, pages);
        PageGuess guess = new PageGuess(info, index);

        int near = guess.deviation() + LINE_BYTES / 2;
        int asked = 0;
        int unaryRight = 0;
        int lowRight = 0;
        for (int at = 0, number = 0; number < pages - 1; number++) {
            int count = encoder.countThatFits(entries, at, entries.length, false);
            encoder.encode(entries, at, count, false, page, 0);
            int lowBits = page.get(PageLayout.LOW_BITS_OFFSET);
            int buckets = page.getShort(PageLayout.BUCKETS_OFFSET) & 0xffff;
            int lowAt =
                    PageLayout.UNARY_OFFSET + PageLayout.words((long) count + buckets) * Long.BYTES;
            int droppedBits = Entries.droppedBits(HASH_BITS);
            for (int i = 0; i < count; i++) {
                long value = (entries[at + i] - entries[at]) >>> (1 + droppedBits);
                int unary = PageLayout.UNARY_OFFSET + (int) ((value >>> lowBits) + i) / Byte.SIZE;
                int low = lowAt + i * lowBits / Byte.SIZE;
                double part = index.partBefore(number, entries[at + i]);
                asked++;
                unaryRight += Math.abs(guess.unaryOffset(part) - unary) < LINE_BYTES / 2 ? 1 : 0;
                lowRight += Math.abs(guess.lowOffset(part) - low) < near ? 1 : 0;
            }
            at += count;
        }
        assertThat((double) unaryRight / asked).isGreaterThan(0.9);
        assertThat((double) lowRight / asked).isGreaterThan(0.9);
    }

    /** Whatever is asked, a guess is inside the page. */
    @Test
    void readsInsideThePageOnly() {
        SplittableRandom random = new SplittableRandom(2);
        ByteBuffer page = ByteBuffer.allocate(PageLayout.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int round = 0; round < 2000; round++) {
            int count = 1 + random.nextInt(1 << random.nextInt(1, 12));
            long[] entries =
                    random.nextBoolean()
                            ? RandomEntries.skewed(random, count, HASH_BITS, 5)
                            : RandomEntries.dense(count, 8 + random.nextInt(HASH_BITS - 8));
            int pages = 1 + random.nextInt(Math.min(entries.length, 4));
            PageIndex index = new PageIndex(entries, pages);
            PageGuess guess = new PageGuess(info(entries, pages), index);
            for (double part : new double[] {0, 1, random.nextDouble()}) {
                assertThat(guess.touch(page, 0, part)).isZero();
            }
        }
    }

    private static LevelFileInfo info(long[] entries, int pages) {
        long sizeBytes = (long) pages * PageLayout.BYTES;
        long last = entries[entries.length - 1];
        return new LevelFileInfo(
                "file", sizeBytes, entries.length, 0, entries[0], last, HASH_BITS, 1, 0);
    }
}
