/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
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
        for (int m = 2; m <= 6; m++) {
            codes.add(Arguments.of(CodeKind.PRODUCT_PAIRS, 1 << m));
        }
        for (int m = 2; m <= 5; m++) {
            codes.add(Arguments.of(CodeKind.PRODUCT_TRIPLES, 1 << m));
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
        if (symbols.length > code.kind().decodable()) {
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
            assertThat(code.remove(with, s)).isEqualTo(a);
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
                    word = code.remove(word, model.remove(at));
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
        CellCode code = kind.create(32);
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
}
