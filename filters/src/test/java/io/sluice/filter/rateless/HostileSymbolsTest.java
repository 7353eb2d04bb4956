/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.rateless.SymbolDecoder.Outcome;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Symbols that are repeated, damaged, or made by someone that knows the key. */
class HostileSymbolsTest {

    private static final ExchangeKey KEY = new ExchangeKey(11, 12);
    private static final int LIMIT = 400;

    private final SplittableRandom random = Seeds.random();

    private static SymbolDecoder decoder(Map<Long, Long> set) {
        return new SymbolDecoder(Sides.root(set), KEY, LIMIT);
    }

    private static SymbolEncoder encoder(Map<Long, Long> set) {
        return new SymbolEncoder(Sides.root(set), KEY);
    }

    private static CodedSymbols batch(int first, SymbolArray symbols) {
        return new CodedSymbols(KEY, first, 0, symbols);
    }

    @Test
    void repeatedSymbolsAndLateOnesChangeNothing() {
        Sides sides = Sides.random(random, 500, 60, 10);
        SymbolEncoder encoder = encoder(sides.a);
        SymbolDecoder decoder = decoder(sides.b);
        CodedSymbols first = encoder.next(20);
        for (int i = 0; i < 3; i++) {
            assertThat(decoder.accept(first)).isEqualTo(Outcome.MORE);
            assertThat(decoder.received()).isEqualTo(20);
        }
        assertThat(decoder.accept(encoder(sides.a).next(30))).isEqualTo(Outcome.MORE);
        assertThat(decoder.received()).as("an overlapping batch").isEqualTo(30);
        encoder.skip(10);
        assertThat(decoder.accept(encoder.next(300))).isEqualTo(Outcome.DECODED);
        int needed = decoder.received();
        assertThat(decoder.accept(first)).isEqualTo(Outcome.DECODED);
        assertThat(decoder.accept(encoder.next(10))).isEqualTo(Outcome.DECODED);
        assertThat(decoder.received()).isEqualTo(needed);
        assertThat(decoder.difference()).isEqualTo(sides.difference());
    }

    @Test
    void symbolsThatDoNotFollowAndThoseOfAnotherExchangeAreNotTaken() {
        Sides sides = Sides.random(random, 500, 60, 10);
        SymbolEncoder encoder = encoder(sides.a);
        SymbolDecoder decoder = decoder(sides.b);
        encoder.skip(1);
        assertThat(decoder.accept(encoder.next(200))).isEqualTo(Outcome.GAP);
        ExchangeKey other = new ExchangeKey(KEY.low(), KEY.high() + 1);
        assertThat(decoder.accept(new SymbolEncoder(Sides.root(sides.a), other).next(200)))
                .isEqualTo(Outcome.FOREIGN);
        assertThat(decoder.received()).isZero();
        assertThat(decoder.outcome()).isEqualTo(Outcome.MORE);
        assertThat(decoder.accept(encoder(sides.a).next(200))).isEqualTo(Outcome.DECODED);
    }

    /** The list has no end, and the decoder keeps no more of it than the limit. */
    @Test
    void symbolsThatNeverDecodeExhaustTheLimit() {
        SymbolDecoder decoder = decoder(Sides.random(random, 100, 0, 10).a);
        int first = 0;
        while (decoder.outcome() == Outcome.MORE) {
            assertThat(first).isLessThan(LIMIT);
            SymbolArray noise = new SymbolArray(50);
            for (int i = 0; i < 50; i++) {
                noise.append(
                        PrimeField.residue(random.nextLong()),
                        random.nextLong(SymbolArray.CHECK_PRIME),
                        random.nextInt(-3, 4));
            }
            decoder.accept(batch(first, noise));
            first += 50;
        }
        assertThat(decoder.outcome()).isEqualTo(Outcome.EXHAUSTED);
        assertThat(decoder.received()).isEqualTo(LIMIT);
    }

    @Test
    void moreDifferencesThanTheLimitAllowsExhaustIt() {
        Sides sides = Sides.random(random, 2_000, 1_000, 10);
        SymbolDecoder decoder = decoder(sides.b);
        assertThat(decoder.accept(encoder(sides.a).next(5_000))).isEqualTo(Outcome.EXHAUSTED);
        assertThat(decoder.received()).isEqualTo(LIMIT);
    }

    /**
     * One element in a single one of its symbols: taking it out there puts it into the others, and
     * taking it out of these puts it back.
     */
    @Test
    void anElementThatComesBackForeverIsAContradiction() {
        long hash = 77;
        long check = SymbolArray.check(new SipHash(KEY).hash(hash));
        SymbolArray symbols = new SymbolArray(100);
        for (int i = 0; i < 100; i++) {
            symbols.append(0, 0, 0);
        }
        // The first symbol must not be empty, or nothing is looked for.
        symbols.add(0, 5, 6, 2);
        symbols.add(SymbolIndexes.after(0, new SipHash(KEY).hash(hash)), hash, check, 1);
        assertThat(decoder(Map.of()).accept(batch(0, symbols))).isEqualTo(Outcome.CONTRADICTORY);
    }

    /** Two elements come out, which empties symbol 0; what symbol 1 holds is not an element. */
    @Test
    void anEmptyFirstSymbolDoesNotHideWhatIsLeftInOthers() {
        long one = elementWithSecondIndex(2);
        long other = elementWithSecondIndex(3);
        SipHash hashing = new SipHash(KEY);
        for (int noise : new int[] {0, 1}) {
            SymbolArray symbols = new SymbolArray(3);
            symbols.append(0, 0, 0);
            symbols.append(9L * noise, 9L * noise, noise);
            symbols.append(0, 0, 0);
            symbols.add(0, one, SymbolArray.check(hashing.hash(one)), 1);
            symbols.add(0, other, SymbolArray.check(hashing.hash(other)), 1);
            symbols.add(2, one, SymbolArray.check(hashing.hash(one)), 1);
            assertThat(decoder(Map.of()).accept(batch(0, symbols)))
                    .isEqualTo(noise == 0 ? Outcome.DECODED : Outcome.CONTRADICTORY);
        }
    }

    private static long elementWithSecondIndex(int index) {
        SipHash hashing = new SipHash(KEY);
        long hash = 0;
        while (SymbolIndexes.after(0, hashing.hash(hash)) != index) {
            hash++;
        }
        return hash;
    }

    /** Fewer copies than none, and more than can be counted. */
    @Test
    void multiplicitiesThatCannotBeAreContradictions() {
        SipHash hashing = new SipHash(KEY);
        long check = SymbolArray.check(hashing.hash(3));
        for (long[] copies : new long[][] {{0, -1}, {5, -6}, {Long.MAX_VALUE, 1}}) {
            Map<Long, Long> set = copies[0] == 0 ? Map.of() : Map.of(3L, copies[0]);
            SymbolArray symbols = encoder(set).next(1).symbols();
            symbols.add(0, 3, check, copies[1]);
            assertThat(decoder(set).accept(batch(0, symbols)))
                    .as("%d and %d", copies[0], copies[1])
                    .isEqualTo(Outcome.CONTRADICTORY);
        }
    }

    /**
     * Copies are counted modulo 2^64. The least long is also the count of two elements of 2^62
     * copies each, so it does not contradict anything; but no two multiplicities of one element
     * differ by it, so it does not name an element either.
     */
    @Test
    void theLeastCountNamesNoElementAndIsNoContradiction() {
        SymbolDecoder decoder = decoder(Map.of());
        for (int first = 0; first < LIMIT; first++) {
            assertThat(decoder.outcome()).isEqualTo(Outcome.MORE);
            SymbolArray one = new SymbolArray(1);
            one.append(0, 0, 0);
            one.add(0, 3, SymbolArray.check(new SipHash(KEY).hash(3)), Long.MIN_VALUE);
            decoder.accept(batch(first, one));
        }
        assertThat(decoder.outcome()).isEqualTo(Outcome.EXHAUSTED);

        Map<Long, Long> two = Map.of(3L, 1L << 62, 4L, 1L << 62);
        CodedSymbols symbols = encoder(two).next(LIMIT);
        assertThat(symbols.symbols().count(0)).isEqualTo(Long.MIN_VALUE);
        SymbolDecoder ofTwo = decoder(Map.of());
        assertThat(ofTwo.accept(symbols)).isEqualTo(Outcome.DECODED);
        assertThat(ofTwo.difference())
                .containsExactly(
                        new UnequalElement(3, 0, 1L << 62), new UnequalElement(4, 0, 1L << 62));
    }

    /** A damaged symbol is never taken for a difference that is not there. */
    @Test
    void damageEndsWithANameOrWithTheTruth() {
        Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);
        for (int i = 0; i < 500; i++) {
            Sides sides = Sides.random(random, 200, 1 + random.nextInt(100), 10);
            CodedSymbols symbols = encoder(sides.a).next(LIMIT);
            int at = random.nextInt(120);
            SymbolArray array = symbols.symbols();
            switch (random.nextInt(3)) {
                case 0 -> array.add(at, random.nextLong(), 1, 1 + random.nextInt(3));
                case 1 -> array.add(at, random.nextLong(), 0, -random.nextInt(9));
                default -> array.add(at, 1L << random.nextInt(64), 0, 1);
            }
            SymbolDecoder decoder = decoder(sides.b);
            Outcome outcome = decoder.accept(symbols);
            outcomes.add(outcome);
            if (outcome == Outcome.DECODED) {
                assertThat(decoder.difference()).isEqualTo(sides.difference());
            }
        }
        assertThat(outcomes).contains(Outcome.DECODED).hasSizeGreaterThan(1);
    }
}
