/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.format.Mutations;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files with right checksums that no filter wrote. Without the keys it cannot be told whether the
 * words of cells are combinations of some keys' values, so any answer is possible, as after wrong
 * deletions.
 */
class KeyValueMutationTest {

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource(CodeKind.class)
    void aFileThatNobodyWroteIsRefusedOrReadAsAFilterThatWorks(CodeKind code) throws IOException {
        // The tables of all fields that a changed number of values may ask for, once.
        for (int bits = 2; bits <= 20; bits++) {
            code.create((1 << bits) - 1);
        }
        Mutations.areRefusedOrWork(
                4_000,
                (in, source) -> KeyValueBloomFilter.readFrom(in, source, Storage.HEAP),
                KeyValueMutationTest::use,
                file(new KeyValueShape(11, code, 1, 3, 3, 9, 5), 30),
                file(new KeyValueShape(2, code, 0, 4, 1, 5, 0), 4));
    }

    private static byte[] file(KeyValueShape shape, int keys) throws IOException {
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder()
                        .shape(shape, keys / 2)
                        .mostFilters(3)
                        .exactKeys(5)
                        .build();
        for (int key = 0; key < keys; key++) {
            filter.insert(key, key % shape.values());
        }
        return bytes(filter);
    }

    private static byte[] bytes(KeyValueBloomFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static byte[] use(KeyValueBloomFilter filter, SplittableRandom random)
            throws IOException {
        int values = filter.values();
        for (int i = 0; i < 40; i++) {
            long key = random.nextInt(60);
            int found = filter.query(key);
            check(found >= KeyValueFilter.AMBIGUOUS && found < values);
            int value = found >= 0 ? found : random.nextInt(values);
            switch (random.nextInt(3)) {
                case 0 -> filter.update(key, value, random.nextInt(values));
                case 1 -> filter.remove(key, value);
                default -> insert(filter, key + 1_000, value);
            }
        }
        filter.compact();
        check(filter.keys() >= 0 && filter.refused() >= 0);
        assertThat(filter.filters()).isPositive();
        return bytes(filter);
    }

    private static void insert(KeyValueBloomFilter filter, long key, int value) {
        try {
            long keys = filter.keys();
            filter.insert(key, value);
            check(filter.keys() == keys + 1);
        } catch (FilterFullException full) {
            check(filter.keys() >= filter.capacity());
        }
    }

    private static void check(boolean right) {
        if (!right) {
            throw new AssertionError("the filter does not keep its contract");
        }
    }
}
