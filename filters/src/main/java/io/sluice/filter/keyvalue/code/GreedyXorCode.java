/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

import java.util.Arrays;

/**
 * The paper's Algorithm 1: the smallest positive numbers whose sums (XOR) of one and of two are all
 * different and not 0.
 *
 * <p>Departure: the paper remembers the sums in a Bloom filter, whose false positives refuse good
 * numbers, and tries each number against all that were chosen. Here a bit for each sum of at most
 * three says exactly which numbers are excluded: a number that is such a sum would make two sums of
 * at most two equal, and no other would. The chosen numbers are the same as the paper's with an
 * exact filter. For comparison only; the search grows with the cube of the symbols, the tables with
 * the square.
 */
final class GreedyXorCode implements CellCode {

    /** Half a million pairs in the table, some 2 * 10^8 steps of the search. */
    static final int MAX_SYMBOLS = 1024;

    private static final int FREE = -1;

    /** Numbers of the greedy sequence below 2, 2^2, 2^3, ...: their widths without a search. */
    private static final int[] BELOW_POWERS = {
        1,
        2,
        3,
        5,
        6,
        8,
        11,
        17,
        21,
        29,
        38,
        52,
        69,
        92,
        120,
        156,
        203,
        266,
        342,
        443,
        573,
        739,
        950,
        MAX_SYMBOLS
    };

    private final int[] words;
    private final int wordBits;

    /** Open addressing: the sums, and next to them which symbols they are. */
    private final int[] sums;

    private final int[] firsts;
    private final int[] seconds;

    GreedyXorCode(int symbols) {
        words = search(symbols);
        wordBits = wordBits(symbols);
        int entries = symbols * (symbols + 1) / 2;
        int size = Integer.highestOneBit(entries) << 2;
        sums = new int[size];
        firsts = new int[size];
        seconds = new int[size];
        Arrays.fill(sums, FREE);
        for (int i = 0; i < symbols; i++) {
            put(words[i], i, i);
            for (int j = 0; j < i; j++) {
                put(words[i] ^ words[j], i, j);
            }
        }
    }

    /** Bits of the widest of {@code symbols} words, at most {@link #MAX_SYMBOLS}. */
    static int wordBits(int symbols) {
        int bits = 1;
        while (BELOW_POWERS[bits - 1] < symbols) {
            bits++;
        }
        return bits;
    }

    /** The first {@code count} numbers of the greedy sequence: 1, 2, 4, 8, 15, ... */
    static int[] search(int count) {
        return new GreedySearch().first(count);
    }

    private void put(int sum, int first, int second) {
        int at = slot(sum);
        sums[at] = sum;
        firsts[at] = first;
        seconds[at] = second;
    }

    /** Where {@code sum} is, or would be. */
    private int slot(int sum) {
        int mask = sums.length - 1;
        int at = ((sum * 0x9E3779B9) >>> 7) & mask;
        while (sums[at] != FREE && sums[at] != sum) {
            at = (at + 1) & mask;
        }
        return at;
    }

    @Override
    public CodeKind kind() {
        return CodeKind.GREEDY_XOR;
    }

    @Override
    public int symbols() {
        return words.length;
    }

    @Override
    public int wordBits() {
        return wordBits;
    }

    @Override
    public long empty() {
        return 0;
    }

    @Override
    public long insert(long word, int symbol) {
        return word ^ words[symbol];
    }

    /** Adding and removing are the same. */
    @Override
    public long delete(long word, int symbol) {
        return insert(word, symbol);
    }

    @Override
    public long replace(long word, int oldSymbol, int newSymbol) {
        return word ^ words[oldSymbol] ^ words[newSymbol];
    }

    @Override
    public long combine(long word, long other) {
        return word ^ other;
    }

    @Override
    public long decode(long word, int count) {
        if (count > 2) {
            return UNDECODABLE;
        }
        int at = slot((int) word);
        boolean pair = firsts[at] != seconds[at];
        if (sums[at] == FREE || pair != (count == 2)) {
            return UNDECODABLE;
        }
        return CellCode.lanes(firsts[at], seconds[at], firsts[at]);
    }
}
