/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.keyvalue.KeyValueShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every code, by trying everything that is small enough to try. */
class CellCodeTest {

    /** Codes with all the symbols of their field, or as many as a quick search finds. */
    static Stream<Arguments> codes() {
        List<Arguments> codes = new ArrayList<>();
        for (int symbols : new int[] {2, 11, 50}) {
            codes.add(Arguments.of(CodeKind.GREEDY_XOR, symbols));
        }
        for (int m = 2; m <= 6; m++) {
            codes.add(Arguments.of(CodeKind.PRODUCT_PAIRS, 1 << m));
            codes.add(Arguments.of(CodeKind.BCH_PAIRS, (1 << m) - 1));
        }
        for (int m = 2; m <= 5; m++) {
            codes.add(Arguments.of(CodeKind.PRODUCT_TRIPLES, 1 << m));
        }
        for (int m = 3; m <= 5; m++) {
            codes.add(Arguments.of(CodeKind.BCH_TRIPLES, (1 << m) - 1));
        }
        return codes.stream();
    }

    private static long wordOf(CellCode code, int... symbols) {
        long word = code.empty();
        for (int symbol : symbols) {
            word = code.insert(word, symbol);
        }
        return word;
    }

    private static Set<Integer> setOf(long decoded) {
        TreeSet<Integer> set = new TreeSet<>();
        for (int i = 0; i < 3; i++) {
            set.add(CellCode.lane(decoded, i));
        }
        return set;
    }

    private static void checkDecode(CellCode code, int... symbols) {
        long decoded = code.decode(wordOf(code, symbols), symbols.length);
        boolean equal = Arrays.stream(symbols).distinct().count() < symbols.length;
        if (symbols.length > code.kind().decodable() || (equal && !code.kind().decodesEqual())) {
            assertThat(decoded).as("%s", Arrays.toString(symbols)).isEqualTo(CellCode.UNDECODABLE);
        } else {
            assertThat(decoded).as("%s", Arrays.toString(symbols)).isNotNegative();
            assertThat(setOf(decoded))
                    .isEqualTo(new TreeSet<>(Arrays.stream(symbols).boxed().toList()));
        }
        checkContradictions(code, decoded, symbols);
    }

    /** What is asked of a cell is what decoding it says. */
    private static void checkContradictions(CellCode code, long decoded, int... symbols) {
        Set<Integer> among = setOf(decoded);
        long word = wordOf(code, symbols);
        for (int asked = 0; asked < Math.min(code.symbols(), 64); asked++) {
            assertThat(code.contradiction(word, symbols.length, asked) == 0)
                    .as("%d in %s", asked, Arrays.toString(symbols))
                    .isEqualTo(decoded < 0 || among.contains(asked));
        }
    }

    @ParameterizedTest
    @MethodSource("codes")
    void everyMultisetOfAtMostThreeDecodesOrSaysThatItDoesNot(CodeKind kind, int symbols) {
        CellCode code = kind.create(symbols);
        assertThat(code.symbols()).isEqualTo(symbols);
        for (int a = 0; a < symbols; a++) {
            checkDecode(code, a);
            for (int b = a; b < symbols; b++) {
                checkDecode(code, a, b);
                for (int c = b; c < symbols && kind.decodable() == 3; c++) {
                    checkDecode(code, a, b, c);
                }
            }
        }
    }

    /** All sums of one and of two are different words, whatever the counter says. */
    @ParameterizedTest
    @EnumSource(
            value = CodeKind.class,
            names = {"GREEDY_XOR", "BCH_PAIRS", "BCH_TRIPLES"})
    void sumsOfAtMostTwoDifferentSymbolsAreDifferentInXorCodes(CodeKind kind) {
        CellCode code = kind.create(63);
        TreeSet<Long> words = new TreeSet<>(List.of(0L));
        int sums = 1;
        for (int a = 0; a < code.symbols(); a++) {
            words.add(wordOf(code, a));
            sums++;
            for (int b = 0; b < a; b++) {
                words.add(wordOf(code, a, b));
                sums++;
            }
        }
        assertThat(words).hasSize(sums);
        assertThat(words.last()).isLessThan(1L << code.wordBits());
    }

    @ParameterizedTest
    @EnumSource(CodeKind.class)
    void wordsAreACommutativeGroup(CodeKind kind) {
        CellCode code = kind.create(200);
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 20_000; i++) {
            long a = randomWord(code, random);
            long b = randomWord(code, random);
            long c = randomWord(code, random);
            assertThat(code.combine(a, b)).isEqualTo(code.combine(b, a));
            assertThat(code.combine(code.combine(a, b), c))
                    .isEqualTo(code.combine(a, code.combine(b, c)));
            assertThat(code.combine(a, code.empty())).isEqualTo(a);
            int s = random.nextInt(code.symbols());
            int t = random.nextInt(code.symbols());
            long with = code.insert(a, s);
            assertThat(with).isEqualTo(code.combine(a, wordOf(code, s)));
            assertThat(code.delete(with, s)).isEqualTo(a);
            assertThat(code.replace(with, s, t)).isEqualTo(code.insert(a, t));
            assertThat(a >>> code.wordBits()).isZero();
        }
    }

    private static long randomWord(CellCode code, SplittableRandom random) {
        int[] symbols = random.ints(random.nextInt(9), 0, code.symbols()).toArray();
        return wordOf(code, symbols);
    }

    /** The cell always stands for the multiset in it, even after many others. */
    @ParameterizedTest
    @EnumSource(CodeKind.class)
    void aCellSurvivesRandomInsertionsReplacementsAndDeletions(CodeKind kind) {
        CellCode code = kind.create(150);
        SplittableRandom random = Seeds.random();
        List<Integer> model = new ArrayList<>();
        long word = code.empty();
        for (int i = 0; i < 20_000; i++) {
            int what = random.nextInt(3);
            int symbol = random.nextInt(code.symbols());
            if (model.isEmpty() || (what == 0 && model.size() < 9)) {
                model.add(symbol);
                word = code.insert(word, symbol);
            } else {
                int at = random.nextInt(model.size());
                if (what == 1) {
                    word = code.replace(word, model.get(at), symbol);
                    model.set(at, symbol);
                } else {
                    word = code.delete(word, model.remove(at));
                }
            }
            int[] symbols = model.stream().mapToInt(Integer::intValue).toArray();
            assertThat(word).isEqualTo(wordOf(code, symbols));
            if (!model.isEmpty()) {
                checkDecode(code, symbols);
            }
        }
    }

    @Tag("thorough")
    @Test
    void largeFieldsDecodeToo() {
        SplittableRandom random = Seeds.random();
        for (CodeKind kind : CodeKind.values()) {
            if (kind == CodeKind.GREEDY_XOR) {
                continue;
            }
            for (int m = 7; m <= CellCode.MAX_SYMBOL_BITS; m++) {
                CellCode code = kind.create((1 << m) - 1);
                for (int i = 0; i < 1_000; i++) {
                    int[] symbols = random.ints(random.nextInt(1, 4), 0, code.symbols()).toArray();
                    checkDecode(code, symbols);
                }
            }
        }
    }

    /**
     * Nothing is made up for a word that no symbols combine to, because a caller broke the rules.
     */
    @ParameterizedTest
    @EnumSource(CodeKind.class)
    void aDecodedWordIsTheWordOfItsSymbols(CodeKind kind) {
        CellCode code = kind.create(kind.decodesEqual() ? 32 : 31);
        for (long word = 0; word < 1L << Math.min(16, code.wordBits()); word++) {
            for (int count = 1; count <= kind.decodable(); count++) {
                long decoded = code.decode(word, count);
                if (decoded >= 0) {
                    int[] symbols = new int[count];
                    for (int i = 0; i < count; i++) {
                        symbols[i] = CellCode.lane(decoded, i);
                    }
                    assertThat(wordOf(code, symbols)).as("%d of %d", word, count).isEqualTo(word);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(CodeKind.class)
    void kindsHaveCodesAndSizes(CodeKind kind) {
        assertThat(CodeKind.ofCode(kind.code())).isEqualTo(kind);
        assertThat(kind.create(100).kind()).isEqualTo(kind);
        assertThat(kind.create(100).wordBits()).isEqualTo(kind.wordBits(100));
        assertThatThrownBy(() -> kind.create(1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> kind.create(kind.maxSymbols() + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("symbols");
        assertThat(CodeKind.ofCode(0)).isNull();
    }

    /** What a few bytes may ask for: the greatest greedy code of a filter. */
    @Test
    void theGreatestGreedyCodeOfAFilterIsFoundInFewSteps() {
        GreedySearch search = new GreedySearch();
        search.first(KeyValueShape.MAX_GREEDY_SYMBOLS);
        assertThat(search.steps()).isLessThan(3_000_000);
        assertThatThrownBy(() -> new KeyValueShape(257, CodeKind.GREEDY_XOR, 0, 4, 3, 10, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("values must be between 2 and 256, got 257");
        assertThatThrownBy(() -> new KeyValueShape(65, CodeKind.GREEDY_XOR, 2, 4, 3, 10, 0))
                .hasMessageContaining("values must be between 2 and 64, got 65");
    }

    /** Widths are known without the search that finds the words. */
    @Test
    void theWidthOfAGreedyCodeIsThatOfItsWidestWord() {
        int[] words = GreedyXorCode.search(600);
        for (int symbols = 2; symbols <= words.length; symbols++) {
            assertThat(CodeKind.GREEDY_XOR.wordBits(symbols))
                    .as("%d symbols", symbols)
                    .isEqualTo(Integer.SIZE - Integer.numberOfLeadingZeros(words[symbols - 1]));
        }
        assertThat(CodeKind.GREEDY_XOR.wordBits(GreedyXorCode.MAX_SYMBOLS)).isEqualTo(24);
    }

    /** Numbers below a power of two, counted by an independent implementation. */
    @Test
    void theGreedySearchFindsAsManyNumbersAsAlgorithmOne() {
        assertThat(GreedyXorCode.search(11))
                .containsExactly(1, 2, 4, 8, 15, 16, 32, 51, 64, 85, 106);
        int[] expected = {2, 3, 5, 6, 8, 11, 17, 21, 29, 38, 52, 69, 92, 120, 156, 203, 266};
        int[] found = GreedyXorCode.search(300);
        for (int bits = 2; bits < 2 + expected.length; bits++) {
            int limit = 1 << bits;
            assertThat(Arrays.stream(found).filter(x -> x < limit).count())
                    .as("below 2^%d", bits)
                    .isEqualTo(expected[bits - 2]);
        }
    }
}
