/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.sluice.filter.Seeds;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SymbolEncoderTest {

    private static final ExchangeKey KEY = new ExchangeKey(5, -7);
    private static final int SYMBOLS = 200;

    private static SymbolEncoder encoder(Map<Long, Long> set) {
        return new SymbolEncoder(Sides.root(set), KEY);
    }

    /** With sums of exact numbers, over all elements of each symbol. */
    @Test
    void symbolsAreTheSumsThatTheyShouldBe() {
        for (long mostCopies : new long[] {1, 1_000, Long.MAX_VALUE - 1}) {
            Map<Long, Long> set = Sides.random(Seeds.random(), 300, 0, mostCopies).a;
            CodedSymbols symbols = encoder(set).next(SYMBOLS);
            BigInteger[][] sums = new BigInteger[SYMBOLS][];
            for (int i = 0; i < SYMBOLS; i++) {
                sums[i] = new BigInteger[] {BigInteger.ZERO, BigInteger.ZERO, BigInteger.ZERO};
            }
            SipHash hashing = new SipHash(KEY);
            set.forEach(
                    (hash, copies) -> {
                        long state = hashing.hash(hash);
                        BigInteger check = BigInteger.valueOf(SymbolArray.check(state));
                        for (int i = 0; i < SYMBOLS; state = SymbolIndexes.advance(state)) {
                            BigInteger factor = BigInteger.valueOf(copies);
                            BigInteger exact = new BigInteger(Long.toUnsignedString(hash));
                            sums[i][0] = sums[i][0].add(factor.multiply(exact));
                            sums[i][1] = sums[i][1].add(factor.multiply(check));
                            sums[i][2] = sums[i][2].add(factor);
                            i = SymbolIndexes.after(i, state);
                        }
                    });
            BigInteger prime = new BigInteger(Long.toUnsignedString(PrimeField.PRIME));
            BigInteger checkPrime = BigInteger.valueOf(SymbolArray.CHECK_PRIME);
            for (int i = 0; i < SYMBOLS; i++) {
                SymbolArray array = symbols.symbols();
                assertThat(array.hash(i)).isEqualTo(sums[i][0].mod(prime).longValue());
                assertThat(array.check(i)).isEqualTo(sums[i][1].mod(checkPrime).longValue());
                assertThat(array.count(i)).isEqualTo(sums[i][2].longValue());
            }
        }
    }

    @Test
    void neitherTheOrderOfElementsNorBatchesMatter() {
        Map<Long, Long> set = Sides.random(Seeds.random(), 500, 0, 50).a;
        SymbolEncoder whole = encoder(set);
        CodedSymbols all = whole.next(SYMBOLS);
        SymbolEncoder parts = encoder(new TreeMap<>(set));
        parts.next(0);
        parts.next(1);
        parts.skip(20);
        assertThat(parts.produced()).isEqualTo(21);
        CodedSymbols last = parts.next(SYMBOLS - 21);
        assertThat(last.first()).isEqualTo(21);
        for (int i = 21; i < SYMBOLS; i++) {
            assertThat(last.symbols().hash(i - 21)).isEqualTo(all.symbols().hash(i));
            assertThat(last.symbols().check(i - 21)).isEqualTo(all.symbols().check(i));
            assertThat(last.symbols().count(i - 21)).isEqualTo(all.symbols().count(i));
        }
        assertThat(whole.elements()).isEqualTo(500);
    }

    @Test
    void anotherKeyMakesOtherSymbols() {
        Map<Long, Long> set = Sides.random(Seeds.random(), 100, 0, 5).a;
        CodedSymbols one = encoder(set).next(50);
        CodedSymbols other = new SymbolEncoder(Sides.root(set), new ExchangeKey(5, -8)).next(50);
        assertThat(one.symbols().hash(0)).as("all elements").isEqualTo(other.symbols().hash(0));
        int equal = 0;
        for (int i = 1; i < 50; i++) {
            equal += one.symbols().hash(i) == other.symbols().hash(i) ? 1 : 0;
        }
        assertThat(equal).isZero();
        assertThat(one.symbols().check(0)).isNotEqualTo(other.symbols().check(0));
    }

    /** Symbols are made in arrays of their own; elements need no more memory. */
    @Test
    void allocatesForSymbolsOnly() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        SymbolEncoder encoder = encoder(Sides.random(Seeds.random(), 50_000, 0, 5).a);
        encoder.next(10);
        long before = threads.getCurrentThreadAllocatedBytes();
        encoder.next(1_000);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .isLessThan(1_000 * 20 + 10_000);
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThatThrownBy(() -> encoder(Map.of(1L, 0L)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("multiplicity must be at least 1, got 0");
        SymbolEncoder encoder = encoder(Map.of());
        encoder.next(3);
        for (int wrong : new int[] {-1, SymbolEncoder.MAX_SYMBOLS - 2}) {
            assertThatThrownBy(() -> encoder.next(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("count must be from 0");
            assertThatThrownBy(() -> encoder.skip(wrong))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(encoder.produced()).isEqualTo(3);
    }
}
