/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.Seeds;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Filters against an exact map over long random lives: never a wrong value, never absent for a held
 * key, and ambiguous as often as the model says.
 */
class KeyValueDifferentialTest {

    private static final int VALUES = 11;

    /** The exact side: key numbers below {@code size} are held. */
    private static final class Model {
        private final long[] hashes;
        private final int[] values;
        private int size;

        private Model(int capacity) {
            hashes = new long[capacity];
            values = new int[capacity];
        }

        private void add(long hash, int value) {
            hashes[size] = hash;
            values[size++] = value;
        }

        private void remove(int at) {
            size--;
            hashes[at] = hashes[size];
            values[at] = values[size];
        }
    }

    private static KeyValueShape shape(CodeKind code, int capacity) {
        return Shapes.shape(code, VALUES, 2, 4, 5, capacity);
    }

    /** One random operation; callers know the old value, so none may be refused. */
    private static void step(KeyValueFilter filter, Model model, SplittableRandom random) {
        int what = random.nextInt(3);
        int most = model.hashes.length;
        if (model.size < most / 2 || (what == 0 && model.size < most)) {
            long hash = random.nextLong();
            int value = random.nextInt(VALUES);
            filter.insert(hash, value);
            model.add(hash, value);
            return;
        }
        int at = random.nextInt(model.size);
        if (what == 1) {
            int value = random.nextInt(VALUES);
            assertThat(filter.update(model.hashes[at], model.values[at], value)).isTrue();
            model.values[at] = value;
        } else {
            assertThat(filter.remove(model.hashes[at], model.values[at])).isTrue();
            model.remove(at);
        }
    }

    /** Ambiguous keys; anything else must be right. */
    private static int ambiguous(KeyValueFilter filter, Model model) {
        int ambiguous = 0;
        for (int i = 0; i < model.size; i++) {
            int found = filter.query(model.hashes[i]);
            if (found == KeyValueFilter.AMBIGUOUS) {
                ambiguous++;
            } else if (found != model.values[i]) {
                assertThat(found).as("key %d", i).isEqualTo(model.values[i]);
            }
        }
        return ambiguous;
    }

    private static void run(CodeKind code, Storage storage, int capacity, int operations)
            throws IOException {
        KeyValueBloomFilter filter = Shapes.filter(shape(code, capacity), capacity, storage);
        Model model = new Model(capacity);
        SplittableRandom random = Seeds.random();
        for (int i = 1; i <= operations; i++) {
            step(filter, model, random);
            if (i % (operations / 4) == 0) {
                double cells = (double) filter.shape().cells() / model.size;
                double expected =
                        model.size
                                * KeyValueModel.of(code, 4, cells, 2, KeyValueModel.uniform(VALUES))
                                        .ambiguous();
                int found = ambiguous(filter, model);
                assertThat((double) found)
                        .as("%s after %d operations, expected %.1f", code, i, expected)
                        .isBetween(
                                expected - 5 * Math.sqrt(2 * expected) - 3,
                                expected + 5 * Math.sqrt(2 * expected) + 3);
                filter = copied(filter, storage);
            }
        }
        assertThat(filter.refused()).isZero();
        assertThat(filter.keys()).isEqualTo(model.size);
        while (model.size > 0) {
            assertThat(filter.remove(model.hashes[0], model.values[0])).isTrue();
            model.remove(0);
        }
        for (long i = 0; i < filter.shape().words(); i++) {
            assertThat(filter.tables()[0].words().get(i)).isZero();
        }
    }

    private static KeyValueBloomFilter copied(KeyValueBloomFilter filter, Storage storage)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return KeyValueBloomFilter.readFrom(
                new ByteArrayInputStream(out.toByteArray()), "copy", storage);
    }

    @ParameterizedTest
    @EnumSource(CodeKind.class)
    void agreesWithAnExactMapOnTheHeap(CodeKind code) throws IOException {
        run(code, Storage.HEAP, 20_000, 400_000);
    }

    @Test
    void agreesWithAnExactMapOffTheHeap() throws IOException {
        run(CodeKind.PRODUCT_TRIPLES, Storage.OFF_HEAP, 20_000, 400_000);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(CodeKind.class)
    void agreesWithAnExactMapOverALongLife(CodeKind code) throws IOException {
        run(code, Storage.HEAP, 200_000, 20_000_000);
    }

    /**
     * A filter that grows, shrinks and is compacted. Two filters may both claim a key, so an
     * operation may be refused: the key then stays as it was, and is checked to the end.
     */
    @Test
    void agreesWithAnExactMapWhileItGrowsAndIsCompacted() {
        int capacity = 2_000;
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder()
                        .shape(
                                Shapes.shape(CodeKind.PRODUCT_TRIPLES, VALUES, 3, 4, 5, capacity),
                                capacity)
                        .mostFilters(8)
                        .exactKeys(500)
                        .build();
        Model model = new Model(8 * capacity);
        SplittableRandom random = Seeds.random();
        long refused = 0;
        int compacted = 0;
        for (int round = 0; round < 6; round++) {
            int aim = round % 2 == 0 ? 7 * capacity : capacity / 2;
            for (int i = 0; i < 30_000 || Math.abs(model.size - aim) > capacity / 4; i++) {
                boolean grow = model.size < aim ? random.nextInt(4) > 0 : random.nextInt(4) == 0;
                if (grow && model.size < 8 * capacity) {
                    long hash = random.nextLong();
                    int value = random.nextInt(VALUES);
                    filter.insert(hash, value);
                    model.add(hash, value);
                } else if (model.size > 0) {
                    int at = random.nextInt(model.size);
                    int value = random.nextInt(VALUES);
                    boolean update = random.nextInt(3) == 0;
                    if (update
                            ? filter.update(model.hashes[at], model.values[at], value)
                            : filter.remove(model.hashes[at], model.values[at])) {
                        if (update) {
                            model.values[at] = value;
                        } else {
                            model.remove(at);
                        }
                    } else {
                        refused++;
                    }
                }
            }
            compacted += filter.compact();
            assertThat(filter.keys()).isEqualTo(model.size);
            assertThat(filter.refused()).isEqualTo(refused);
            assertThat((double) ambiguous(filter, model)).isLessThan(0.02 * model.size);
        }
        assertThat(compacted).isPositive();
        assertThat(filter.stuckCells()).isZero();
    }
}
