/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import io.sluice.filter.cuckoo.sync.RootSet;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DifferenceSketchTest {

    private static final RootSet NOTHING = visitor -> {};
    private static final ExchangeKey KEY = new ExchangeKey(20_261_129, -1);

    private final SplittableRandom random = new SplittableRandom(Seeds.seed(0));

    private ExchangeKey key() {
        return new ExchangeKey(random.nextLong(), random.nextLong());
    }

    private static double estimate(Map<Long, Long> a, Map<Long, Long> b, ExchangeKey key) {
        return DifferenceSketch.of(Sides.root(a), a.size(), key).differing(Sides.root(b));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 10, 5_000})
    void equalMultisetsDifferInNothing(int elements) {
        Sides sides = Sides.random(random, elements, 0, Long.MAX_VALUE - 1);
        assertThat(estimate(sides.a, sides.b, key())).isZero();
    }

    /** The mean over many keys is the exact number, within five standard errors. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10, 100})
    void theEstimateHasNoBias(int differing) {
        for (long mostCopies : new long[] {1, 2, 1_000, Long.MAX_VALUE - 1}) {
            Sides sides = Sides.random(random, 2 * differing + 3, differing, mostCopies);
            int exact = sides.difference().size();
            int keys = 1_000;
            double sum = 0;
            for (int i = 0; i < keys; i++) {
                sum += estimate(sides.a, sides.b, key());
            }
            double error = exact * Math.sqrt(2.0 / 64 / keys);
            assertThat(sum / keys).as("of %d", exact).isCloseTo(exact, within(5 * error));
        }
    }

    @Test
    void anElementWithAnotherMultiplicityIsOneDifferenceLikeAMissingOne() {
        Map<Long, Long> few = new LinkedHashMap<>();
        Map<Long, Long> many = new LinkedHashMap<>();
        for (int i = 0; i < 20_000; i++) {
            long hash = random.nextLong();
            few.put(hash, 1 + random.nextLong(1_000));
            many.put(hash, Long.MAX_VALUE - random.nextLong(1_000));
        }
        double error = 20_000 * Math.sqrt(2.0 / 256);
        assertThat(estimate(few, many, key())).isCloseTo(20_000, within(5 * error));
        assertThat(estimate(few, Map.of(), key())).isCloseTo(20_000, within(5 * error));
        assertThat(estimate(Map.of(), many, key())).isCloseTo(20_000, within(5 * 2 * error));
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 1_000, 10_000})
    void theErrorOfAnEstimateIsAsTold(int elements) {
        Sides sides = Sides.random(random, elements, elements / 4, 50);
        int exact = sides.difference().size();
        int keys = 400;
        double squares = 0;
        double told = 0;
        for (int i = 0; i < keys; i++) {
            DifferenceSketch sketch = DifferenceSketch.of(Sides.root(sides.a), elements, key());
            double off = sketch.differing(Sides.root(sides.b)) / exact - 1;
            squares += off * off;
            told = sketch.relativeError();
        }
        assertThat(Math.sqrt(squares / keys)).isBetween(0.8 * told, 1.2 * told);
    }

    @Test
    void disjointMultisetsDifferInAllElements() {
        Sides a = Sides.random(random, 3_000, 0, 10);
        Map<Long, Long> b = new LinkedHashMap<>();
        random.longs(5_000).forEach(hash -> b.put(hash, 3L));
        double error = 8_000 * Math.sqrt(2.0 / 64);
        assertThat(estimate(a.a, b, key())).isCloseTo(8_000, within(5 * error));
    }

    @Test
    void theErrorAndTheBytesFollowTheElements() {
        for (int[] expected : new int[][] {{1, 64}, {8_191, 64}, {8_192, 128}, {1 << 30, 256}}) {
            DifferenceSketch sketch = DifferenceSketch.of(NOTHING, expected[0], KEY);
            assertThat(sketch.relativeError()).isEqualTo(Math.sqrt(2.0 / expected[1]));
            assertThat(sketch.encodedBytes()).as("zeros take no bits").isEqualTo(18);
        }
        Map<Long, Long> large = Sides.random(random, 64_000, 0, 9).a;
        assertThat(DifferenceSketch.of(Sides.root(large), 64_000, KEY).encodedBytes())
                .isBetween(18 + 32 * 10, 18 + 32 * 13);
    }

    private static ByteBuffer written(DifferenceSketch sketch) {
        ByteBuffer bytes =
                ByteBuffer.allocate(sketch.encodedBytes()).order(ByteOrder.LITTLE_ENDIAN);
        sketch.write(bytes);
        assertThat(bytes.hasRemaining()).isFalse();
        return bytes.flip();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1_000, 20_000})
    void whatIsWrittenIsRead(int elements) {
        Sides sides = Sides.random(random, elements, elements / 2, 5);
        DifferenceSketch sketch = DifferenceSketch.of(Sides.root(sides.a), elements, key());
        ByteBuffer bytes = written(sketch);
        DifferenceSketch read = DifferenceSketch.read(bytes);
        assertThat(bytes.hasRemaining()).isFalse();
        assertThat(read.differing(Sides.root(sides.b)))
                .isEqualTo(sketch.differing(Sides.root(sides.b)));
        assertThat(written(read)).isEqualTo(written(sketch));
    }

    @Test
    void impossibleSketchesAreRefused() {
        DifferenceSketch sketch = DifferenceSketch.of(visitor -> visitor.element(1, 1), 1, KEY);
        byte[] bytes = written(sketch).array();
        for (int length = 0; length < bytes.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length).slice();
            assertThatThrownBy(() -> DifferenceSketch.read(cut.order(ByteOrder.LITTLE_ENDIAN)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        for (int[] impossible : new int[][] {{16, 0}, {16, 5}, {16, -1}, {17, 33}, {17, -1}}) {
            byte[] changed = bytes.clone();
            changed[impossible[0]] = (byte) impossible[1];
            assertThatThrownBy(() -> DifferenceSketch.read(ByteBuffer.wrap(changed)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("a sketch of ");
        }
        byte[] wide = new byte[18 + 8];
        wide[16] = 1;
        wide[17] = 1;
        assertThatThrownBy(() -> DifferenceSketch.read(ByteBuffer.wrap(wide)))
                .hasMessage("counters of 1 bits, but 0 are enough");
    }

    /** Counters at the ends of their range. */
    @Test
    void theWidestCountersAreReadAndWritten() {
        ByteBuffer bytes = ByteBuffer.allocate(18 + 8 * 32).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(1).putLong(2).put((byte) 1).put((byte) 32);
        for (int bit = 0; bit < 32; bit++) {
            bytes.putLong(bit == 0 ? 0x5555_5555_5555_5555L : -1L);
        }
        DifferenceSketch sketch = DifferenceSketch.read(bytes.flip());
        assertThat(written(sketch)).isEqualTo(bytes.rewind());
        assertThat(sketch.differing(NOTHING)).isEqualTo(0x1p63, within(0x1p33));
    }

    @Test
    void multiplicitiesBelowOneAreRefused() {
        RootSet none = visitor -> visitor.element(1, 0);
        assertThatThrownBy(() -> DifferenceSketch.of(none, 1, KEY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("multiplicity");
    }

    @Test
    void aSketchKeepsTheSecret() {
        assertThat(DifferenceSketch.of(NOTHING, 0, KEY)).hasToString("a sketch of 64 counters");
    }
}
