/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KeyValueBloomFilterTest {

    private static final int KEYS = 2_000;

    private static KeyValueShape roomy(CodeKind code, int keys) {
        return Shapes.shape(code, 11, 4, 4, 6, keys);
    }

    private static long[] words(KeyValueBloomFilter filter, int table) {
        long[] copy = new long[(int) filter.shape().words()];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = filter.tables()[table].words().get(i);
        }
        return copy;
    }

    /** One cell in each partition: every key is in all cells. */
    private static KeyValueBloomFilter oneCell(int counterBits) {
        return Shapes.filter(
                new KeyValueShape(11, CodeKind.PRODUCT_PAIRS, 0, counterBits, 2, 1, 0), 1_000);
    }

    @Test
    void equalValuesOfTwoKeysInAllTheirCellsAreTold() {
        KeyValueBloomFilter filter = oneCell(3);
        filter.insert(1, 7);
        filter.insert(2, 7);
        assertThat(filter.query(1)).isEqualTo(7);
        filter.insert(3, 7);
        assertThat(filter.query(1)).as("three in a cell").isEqualTo(KeyValueFilter.AMBIGUOUS);
        assertThat(filter.remove(3, 7)).isTrue();
        assertThat(filter.query(2)).isEqualTo(7);
        assertThat(filter.update(2, 7, 4)).isTrue();
        assertThat(filter.query(1)).as("7 or 4").isEqualTo(KeyValueFilter.AMBIGUOUS);
        assertThat(filter.remove(2, 4)).isTrue();
        assertThat(filter.remove(1, 7)).isTrue();
        assertThat(filter.query(1)).isEqualTo(KeyValueFilter.ABSENT);
        assertThat(words(filter, 0)).containsOnly(0);
    }

    @Test
    void aCounterAtItsMaximumSticksAndItsCellSaysNothing() {
        KeyValueBloomFilter filter = oneCell(3);
        for (int key = 0; key < 6; key++) {
            filter.insert(key, key);
        }
        assertThat(filter.stuckCells()).isZero();
        filter.insert(6, 6);
        assertThat(filter.stuckCells()).isEqualTo(2);
        long[] stuck = words(filter, 0);
        filter.insert(7, 7);
        assertThat(filter.update(7, 7, 8)).isTrue();
        for (int key = 0; key < 7; key++) {
            assertThat(filter.remove(key, key)).isTrue();
        }
        assertThat(words(filter, 0)).isEqualTo(stuck);
        assertThat(filter.query(7)).isEqualTo(KeyValueFilter.AMBIGUOUS);
        assertThat(filter.stuckCells()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(CodeKind.class)
    void aRefusalChangesNoBit(CodeKind code) {
        KeyValueBloomFilter filter = Shapes.filter(Shapes.shape(code, 11, 2, 4, 6, KEYS), KEYS);
        for (long key = 0; key < KEYS; key++) {
            filter.insert(mix(key), (int) (key % 11));
        }
        SplittableRandom random = Seeds.random();
        long[] before = words(filter, 0);
        long refusals = 0;
        for (int i = 0; i < 20_000; i++) {
            int value = random.nextInt(11);
            long absent = random.nextLong();
            long key = random.nextInt(KEYS);
            if (filter.query(absent) == KeyValueFilter.ABSENT) {
                assertThat(filter.remove(absent, value)).isFalse();
                assertThat(filter.update(absent, value, 3)).isFalse();
                refusals += 2;
            }
            if (filter.query(mix(key)) >= 0 && value != key % 11) {
                assertThat(filter.remove(mix(key), value)).isFalse();
                assertThat(filter.update(mix(key), value, 3)).isFalse();
                refusals += 2;
            }
        }
        assertThat(refusals).isGreaterThan(KEYS);
        assertThat(filter.refused()).isEqualTo(refusals);
        assertThat(words(filter, 0)).isEqualTo(before);
        assertThat(filter.keys()).isEqualTo(KEYS);
    }

    @Test
    void aFullFilterRefusesAndStaysAsItIs() {
        KeyValueBloomFilter filter = Shapes.filter(roomy(CodeKind.PRODUCT_TRIPLES, 10), 10);
        for (long key = 0; key < 10; key++) {
            filter.insert(mix(key), 1);
        }
        long[] before = words(filter, 0);
        assertThatThrownBy(() -> filter.insert(mix(10), 1))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("10 keys");
        assertThat(words(filter, 0)).isEqualTo(before);
        assertThat(filter.remove(mix(0), 1)).isTrue();
        filter.insert(mix(10), 1);
        assertThat(filter.query(mix(10))).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Storage.class)
    void growsByFiltersAndUpdatesKeysWhereTheyLive(Storage storage) {
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder()
                        .shape(roomy(CodeKind.PRODUCT_TRIPLES, KEYS), KEYS)
                        .mostFilters(4)
                        .storage(storage)
                        .build();
        int keys = 4 * KEYS;
        for (long key = 0; key < keys; key++) {
            filter.insert(mix(key), (int) (key % 11));
        }
        assertThat(filter.filters()).isEqualTo(4);
        assertThatThrownBy(() -> filter.insert(mix(keys), 0))
                .isInstanceOf(FilterFullException.class);
        int refused = 0;
        for (long key = 0; key < keys; key++) {
            int value = (int) (key % 11);
            boolean done = filter.update(mix(key), value, (value + 5) % 11);
            refused += done ? 0 : 1;
            int expected = done ? (value + 5) % 11 : value;
            assertThat(filter.query(mix(key))).isIn(expected, KeyValueFilter.AMBIGUOUS);
        }
        assertThat(refused).as("where two filters might hold it").isLessThan(keys / 100);
        assertThat(filter.refused()).isEqualTo(refused);
    }

    @Test
    void compactionIsTheSameAsHavingInsertedIntoOne() {
        KeyValueShape shape = roomy(CodeKind.PRODUCT_PAIRS, KEYS);
        KeyValueBloomFilter grown =
                KeyValueBloomFilter.builder().shape(shape, KEYS).mostFilters(3).build();
        KeyValueBloomFilter rebuilt = Shapes.filter(shape, KEYS);
        for (long key = 0; key < 3 * KEYS; key++) {
            grown.insert(mix(key), (int) (key % 11));
        }
        assertThat(grown.compact()).as("too many keys").isZero();
        for (long key = 0; key < 3 * KEYS; key++) {
            if (key % 3 == 0) {
                // A refused one stays: it is deleted from neither.
                assertThat(grown.query(mix(key))).isIn((int) (key % 11), KeyValueFilter.AMBIGUOUS);
                rebuilt.insert(mix(key), (int) (key % 11));
            } else if (!grown.remove(mix(key), (int) (key % 11))) {
                rebuilt.insert(mix(key), (int) (key % 11));
            }
        }
        assertThat(grown.keys()).isEqualTo(rebuilt.keys());
        assertThat(grown.stuckCells()).isZero();
        assertThat(grown.compact()).isEqualTo(2);
        assertThat(words(grown, 0)).isEqualTo(words(rebuilt, 0));
        assertThat(grown.keys()).isEqualTo(rebuilt.keys());
    }

    @Test
    void aMergedFilterIsTheSameAsHavingInsertedIntoOne() {
        for (CodeKind code : List.of(CodeKind.PRODUCT_PAIRS, CodeKind.PRODUCT_TRIPLES)) {
            KeyValueShape shape = roomy(code, 2 * KEYS);
            KeyValueBloomFilter one = Shapes.filter(shape, 2 * KEYS);
            KeyValueBloomFilter merged = Shapes.filter(shape, 2 * KEYS);
            KeyValueBloomFilter other = Shapes.filter(shape, 2 * KEYS);
            for (long key = 0; key < 2 * KEYS; key++) {
                one.insert(mix(key), (int) (key % 11));
                (key % 3 == 0 ? merged : other).insert(mix(key), (int) (key % 11));
            }
            long[] otherBefore = words(other, 0);
            merged.merge(other);

            assertThat(merged.keys()).isEqualTo(2 * KEYS);
            assertThat(merged.filters()).isEqualTo(1);
            assertThat(words(merged, 0)).isEqualTo(words(one, 0));
            assertThat(words(other, 0)).as("the other stays as it is").isEqualTo(otherBefore);
        }
    }

    @Test
    void aMergeTakesFurtherFiltersAndKeepsEveryValueThroughUpdatesAndDeletions() {
        KeyValueShape crowded = Shapes.shape(CodeKind.PRODUCT_PAIRS, 11, 2, 4, 1.2, KEYS);
        KeyValueBloomFilterBuilder builder =
                KeyValueBloomFilter.builder().shape(crowded, KEYS).mostFilters(5).exactKeys(KEYS);
        KeyValueBloomFilter merged = builder.build();
        KeyValueBloomFilter other = builder.build();
        int[] values = new int[3 * KEYS];
        for (int key = 0; key < values.length; key++) {
            values[key] = key % 11;
            (key % 2 == 0 ? merged : other).insert(mix(key), values[key]);
        }
        merged.merge(other);
        assertThat(merged.keys()).isEqualTo(values.length);
        assertThat(merged.filters()).isBetween(3, 4);

        for (int key = 0; key < values.length; key += 3) {
            int next = (values[key] + 1) % 11;
            values[key] = merged.update(mix(key), values[key], next) ? next : values[key];
        }
        for (int key = 1; key < values.length; key += 3) {
            if (merged.remove(mix(key), values[key])) {
                values[key] = KeyValueFilter.ABSENT;
            }
        }
        for (int key = 0; key < values.length; key++) {
            if (values[key] >= 0) {
                assertThat(merged.query(mix(key))).isIn(values[key], KeyValueFilter.AMBIGUOUS);
            }
        }
    }

    @Test
    void aMergeWithoutRoomIsRefusedAndChangesNothing() {
        KeyValueShape shape = roomy(CodeKind.PRODUCT_PAIRS, 100);
        KeyValueBloomFilter full = Shapes.filter(shape, 100);
        KeyValueBloomFilter other = Shapes.filter(shape, 100);
        for (long key = 0; key < 60; key++) {
            full.insert(mix(key), 1);
            other.insert(mix(1_000 + key), 2);
        }
        long[] before = words(full, 0);
        assertThatThrownBy(() -> full.merge(other))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("1 filters of 100 keys");
        assertThat(words(full, 0)).isEqualTo(before);
        assertThat(full.keys()).isEqualTo(60);
    }

    /** The shape says nothing about the capacity. */
    @Test
    void aMergeOverfillsNoFilterAlthoughTheOthersAreLarger() throws IOException {
        KeyValueShape shape = roomy(CodeKind.PRODUCT_PAIRS, 100);
        KeyValueBloomFilter small =
                KeyValueBloomFilter.builder().shape(shape, 50).mostFilters(3).build();
        KeyValueBloomFilter large = Shapes.filter(shape, 100);
        for (long key = 0; key < 50; key++) {
            large.insert(mix(key), 2);
        }
        small.merge(large);
        assertThat(small.keys()).isEqualTo(50);

        large.insert(mix(50), 2);
        assertThatThrownBy(() -> small.merge(large))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("3 filters of 50 keys");
        assertThat(small.keys()).isEqualTo(50);
        assertThat(small.filters()).isEqualTo(1);

        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        small.writeTo(bytes);
        KeyValueBloomFilter read =
                KeyValueBloomFilter.readFrom(
                        new ByteArrayInputStream(bytes.toByteArray()), "memory", Storage.HEAP);
        assertThat(words(read, 0)).isEqualTo(words(small, 0));
    }

    @Test
    void anotherShapeOrTheFilterItselfIsRefused() {
        KeyValueShape shape = new KeyValueShape(11, CodeKind.PRODUCT_PAIRS, 0, 3, 2, 100, 0);
        KeyValueShape seeded = new KeyValueShape(11, CodeKind.PRODUCT_PAIRS, 0, 3, 2, 100, 1);
        KeyValueBloomFilter filter = Shapes.filter(shape, 8);
        assertThatThrownBy(() -> filter.merge(Shapes.filter(seeded, 8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("seed=0")
                .hasMessageContaining("seed=1");
        assertThatThrownBy(() -> filter.merge(filter))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("itself");
    }

    @Test
    void countersThatOverflowInACompactionStick() {
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder()
                        .shape(new KeyValueShape(11, CodeKind.PRODUCT_PAIRS, 0, 3, 2, 1, 0), 8)
                        .mostFilters(2)
                        .build();
        CellTable first = filter.tables()[0];
        for (int key = 0; key < 4; key++) {
            first.insert(CellTable.mix(key, 0), 1);
        }
        CellTable second = filter.addTable(Words.allocate(Storage.HEAP, filter.shape().words()));
        for (int key = 4; key < 8; key++) {
            second.insert(CellTable.mix(key, 0), 2);
        }
        assertThat(filter.compact()).isEqualTo(1);
        assertThat(filter.stuckCells()).isEqualTo(2);
        assertThat(filter.query(0)).isEqualTo(KeyValueFilter.AMBIGUOUS);
    }

    @Test
    void emptyFilterAtTheEndIsDropped() {
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder()
                        .shape(roomy(CodeKind.PRODUCT_TRIPLES, 100), 100)
                        .mostFilters(2)
                        .build();
        for (long key = 0; key < 101; key++) {
            filter.insert(mix(key), 3);
        }
        assertThat(filter.filters()).isEqualTo(2);
        assertThat(filter.remove(mix(100), 3)).isTrue();
        assertThat(filter.filters()).isEqualTo(1);
        assertThat(filter.query(mix(100))).isEqualTo(KeyValueFilter.ABSENT);
    }

    /** A crowded filter, in which a quarter of the keys would be ambiguous. */
    @Test
    void keysThatAreAmbiguousAtOnceAreKeptExactly() {
        KeyValueShape crowded = Shapes.shape(CodeKind.PRODUCT_PAIRS, 11, 2, 2, 1.2, KEYS);
        KeyValueBloomFilter without = Shapes.filter(crowded, KEYS);
        KeyValueBloomFilter with =
                KeyValueBloomFilter.builder().shape(crowded, KEYS).exactKeys(KEYS).build();
        for (long key = 0; key < KEYS; key++) {
            without.insert(mix(key), (int) (key % 11));
            with.insert(mix(key), (int) (key % 11));
            assertThat(with.query(mix(key))).isEqualTo((int) (key % 11));
        }
        assertThat(with.exactKeys()).isGreaterThan(KEYS / 50);
        int ambiguousWithout = 0;
        int ambiguousWith = 0;
        for (long key = 0; key < KEYS; key++) {
            ambiguousWithout += without.query(mix(key)) < 0 ? 1 : 0;
            int found = with.query(mix(key));
            ambiguousWith += found < 0 ? 1 : 0;
            assertThat(found).isIn((int) (key % 11), KeyValueFilter.AMBIGUOUS);
        }
        assertThat(ambiguousWith).isLessThan(ambiguousWithout);
        for (long key = 0; key < KEYS; key++) {
            assertThat(with.update(mix(key), (int) (key % 11), 5)).isTrue();
            assertThat(with.query(mix(key))).isEqualTo(5);
        }
        for (long key = 0; key < KEYS; key++) {
            assertThat(with.remove(mix(key), 5)).isTrue();
        }
        assertThat(with.exactKeys()).isZero();
        assertThat(with.keys()).isZero();
    }

    @Test
    void anotherSeedMeansOtherCells() {
        KeyValueBloomFilter one = KeyValueBloomFilter.builder().values(4).sized(100, 64).build();
        KeyValueBloomFilter other =
                KeyValueBloomFilter.builder().values(4).sized(100, 64).seed(9).build();
        one.insert(mix(1), 2);
        other.insert(mix(1), 2);
        assertThat(words(one, 0)).isNotEqualTo(words(other, 0));
        assertThat(other.query(mix(1))).isEqualTo(2);
    }

    @Test
    void namesWhatIsMissingOrOutOfRange() {
        assertThatThrownBy(() -> KeyValueBloomFilter.builder().sized(10, 64).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("values");
        assertThatThrownBy(() -> KeyValueBloomFilter.builder().values(11).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keys");
        assertThatThrownBy(() -> new KeyValueShape(11, CodeKind.PRODUCT_PAIRS, 9, 4, 4, 100, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tagBits");
        assertThatThrownBy(
                        () -> new KeyValueShape(1 << 20, CodeKind.PRODUCT_TRIPLES, 0, 5, 4, 9, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65 bits");
        assertThatThrownBy(() -> new KeyValueShape(11, CodeKind.PRODUCT_PAIRS, 0, 2, 4, 100, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("counterBits");
        assertThatThrownBy(() -> new KeyValueShape(11, CodeKind.PRODUCT_PAIRS, 0, 4, 0, 100, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("probes");
        assertThatThrownBy(() -> new KeyValueShape(11, CodeKind.PRODUCT_PAIRS, 0, 4, 4, 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cellsPerProbe");
        KeyValueBloomFilter filter = KeyValueBloomFilter.builder().values(4).sized(9, 64).build();
        filter.insert(mix(1), 2);
        assertThatThrownBy(() -> filter.update(mix(1), 4, 2)).hasMessageContaining("oldValue");
        assertThatThrownBy(() -> filter.update(mix(1), 2, -1)).hasMessageContaining("newValue");
        assertThatThrownBy(() -> filter.remove(mix(1), 4)).hasMessageContaining("value");
        assertThat(filter.query(mix(1))).isEqualTo(2);
    }

    private static long mix(long key) {
        return Hashing.hash(key);
    }
}
