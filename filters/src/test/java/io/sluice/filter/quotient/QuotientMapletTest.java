/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.hash.Unmixed;
import io.sluice.filter.keyvalue.KeyValueModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class QuotientMapletTest {

    private static final long SEED = 1;
    private static final int KEYS = 2_000;
    private static final int VALUES = 11;

    /** The most additional bytes: arrays begin at cache lines. */
    private static final int PADDING = 128;

    /**
     * Compared with an exact map, with remainders so short that keys collide: a held key has its
     * value or is ambiguous, and no more keys are ambiguous than the model says; the same holds for
     * all absent keys together.
     */
    @Test
    void answersAsAnExactMapOrSaysThatItCannotTell() {
        SplittableRandom random = new SplittableRandom(SEED);
        int remainderBits = 5;
        QuotientMaplet maplet = QuotientMaplet.ofRemainders(KEYS, VALUES, remainderBits);
        Map<Long, Integer> exact = new HashMap<>();
        List<Long> held = new ArrayList<>();
        double asked = 0;
        double ambiguous = 0;
        double expected = 0;
        double reported = 0;
        double expectedReports = 0;
        for (int i = 0; i < 200_000; i++) {
            int at = held.isEmpty() ? 0 : random.nextInt(held.size());
            if (held.size() < KEYS && random.nextInt(50) > 0) {
                long key = random.nextLong();
                int value = random.nextInt(VALUES);
                maplet.insert(key, value);
                exact.put(key, value);
                held.add(key);
            } else if (random.nextInt(3) == 0) {
                long last = held.remove(held.size() - 1);
                long key = at == held.size() ? last : held.set(at, last);
                assertThat(maplet.remove(key, exact.remove(key))).isTrue();
            } else {
                int value = random.nextInt(VALUES);
                assertThat(maplet.update(held.get(at), exact.get(held.get(at)), value)).isTrue();
                exact.put(held.get(at), value);
            }
            if (!held.isEmpty()) {
                long key = held.get(random.nextInt(held.size()));
                int found = maplet.query(key);
                double met = maplet.load() / (1 << remainderBits);
                MapletModel model = MapletModel.of(met, KeyValueModel.uniform(VALUES));
                if (found == KeyValueFilter.AMBIGUOUS) {
                    ambiguous++;
                } else {
                    assertThat(found).isEqualTo(exact.get(key));
                }
                asked++;
                expected += model.ambiguous();
                expectedReports += model.falsePositives();
                reported += maplet.query(random.nextLong()) == KeyValueFilter.ABSENT ? 0 : 1;
            }
        }
        assertThat(maplet.refused()).isZero();
        assertThat(maplet.load()).isEqualTo(0.95 * held.size() / KEYS, Offset.offset(0.001));
        // The same keys are looked up again and again: as many independent ones as were ever held.
        double independent = 200_000 / 3.0;
        double share = expected / asked;
        double allowed = 5 * Math.sqrt(2 * share / independent) * asked;
        assertThat(ambiguous).isBetween(expected - allowed, expected + allowed);
        double allowedReports = 5 * Math.sqrt(expectedReports);
        assertThat(reported)
                .isBetween(expectedReports - allowedReports, expectedReports + allowedReports);
    }

    @Test
    void keysThatCannotBeToldApartAreTakenOutOneByOne() {
        QuotientMaplet maplet = QuotientMaplet.ofRemainders(100, VALUES, 4);
        // The high bits of the mixed hashes are the same.
        long one = Unmixed.hash(0x1234_5678_0000_0003L);
        long other = Unmixed.hash(0x1234_5678_0000_0403L);
        maplet.insert(one, 7);
        maplet.insert(other, 7);
        assertThat(maplet.query(one)).isEqualTo(7);
        assertThat(maplet.update(other, 7, 2)).isTrue();
        assertThat(maplet.query(one)).isEqualTo(KeyValueFilter.AMBIGUOUS);
        assertThat(maplet.remove(one, 7)).isTrue();
        assertThat(maplet.query(other)).isEqualTo(2);
        assertThat(maplet.remove(other, 7)).isFalse();
        assertThat(maplet.refused()).isOne();
        assertThat(maplet.remove(other, 2)).isTrue();
        assertThat(maplet.query(other)).isEqualTo(KeyValueFilter.ABSENT);
    }

    @Test
    void takesNoMoreMemoryThanWasGivenAndNoMoreKeys() {
        for (int bits = 12; bits <= 128; bits += 4) {
            QuotientMaplet maplet = QuotientMaplet.ofBitsPerKey(KEYS, VALUES, bits);
            double perKey = 8.0 * (maplet.sizeInBytes() - PADDING) / KEYS;
            assertThat(perKey).isLessThanOrEqualTo(bits);
            if (maplet.remainderBits() < 40) {
                assertThat(perKey).isGreaterThan(bits - 3);
            }
        }
        QuotientMaplet maplet = QuotientMaplet.ofBitsPerKey(KEYS, VALUES, 32);
        for (int i = 0; i < KEYS; i++) {
            maplet.insert(Hashing.hash(i), i % VALUES);
        }
        assertThatThrownBy(() -> maplet.insert(1, 1)).isInstanceOf(FilterFullException.class);
        assertThatThrownBy(() -> QuotientMaplet.ofBitsPerKey(KEYS, VALUES, 6))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bitsPerKey")
                .hasMessageContaining("6.0");
    }

    private static Map<Long, Integer> entries(QuotientMaplet maplet) {
        Map<Long, Integer> entries = new TreeMap<>();
        maplet.forEach((fingerprint, value) -> entries.put(fingerprint, value));
        return entries;
    }

    private static QuotientMaplet filled(int keys, int remainderBits) {
        QuotientMaplet maplet = QuotientMaplet.of((3L * 48) << 12, remainderBits, VALUES);
        for (int i = 0; i < keys; i++) {
            maplet.put(maplet.fingerprint(i), i % VALUES);
        }
        return maplet;
    }

    /** A quotient more or less is another place, and not another answer. */
    @Test
    void splitElsewhereItHoldsTheSameEntries() {
        QuotientMaplet maplet = filled(130, 12);
        Map<Long, Integer> entries = entries(maplet);
        assertThat(entries).hasSize(130);
        for (int remainderBits = 12; remainderBits >= 1; remainderBits--) {
            QuotientMaplet other = maplet.split(remainderBits);
            assertThat(entries(other)).isEqualTo(entries);
            assertThat(other.capacity()).isEqualTo((long) (0.95 * (144L << (12 - remainderBits))));
            for (int i = 0; i < 130; i++) {
                assertThat(other.query(i)).isEqualTo(i % VALUES);
            }
        }
        assertThatThrownBy(() -> maplet.split(14)).isInstanceOf(FilterFullException.class);
    }

    private static byte[] written(QuotientMaplet maplet) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(out, 1, 1, ByteBuffer.allocate(0), maplet.payloadBytes());
        maplet.writeTo(writer);
        writer.finish();
        return out.toByteArray();
    }

    private static QuotientMaplet read(byte[] bytes, long fingerprints, int bits, long size)
            throws IOException {
        FilterReader reader = new FilterReader(new ByteArrayInputStream(bytes), "test", 1, 1);
        return QuotientMaplet.readFrom(reader, fingerprints, bits, VALUES, size);
    }

    @Test
    void whatWasWrittenIsReadAndGoesOn() throws IOException {
        for (int keys : new int[] {0, 1, 130}) {
            QuotientMaplet maplet = filled(keys, 12);
            QuotientMaplet read = read(written(maplet), maplet.fingerprints(), 12, keys);
            assertThat(entries(read)).isEqualTo(entries(maplet));
            assertThat(read.size()).isEqualTo(keys);
            read.put(read.fingerprint(1_000), 3);
            assertThat(read.query(1_000)).isEqualTo(3);
        }
    }

    @Test
    void parametersThatDoNotBelongToTheBytesAreRefused() throws IOException {
        byte[] bytes = written(filled(130, 12));
        long fingerprints = (3L * 48) << 12;
        for (long[] wrong :
                new long[][] {
                    {fingerprints, 12, 129},
                    {fingerprints, 13, 130},
                    {fingerprints, 0, 130},
                    {fingerprints, 63, 130},
                    {fingerprints - (20 << 12), 12, 130},
                    {1, 12, 130},
                    {1L << 60, 12, 130},
                    {1L << 44, 1, 130}
                }) {
            assertThatThrownBy(() -> read(bytes, wrong[0], (int) wrong[1], wrong[2]))
                    .isInstanceOf(CorruptFilterException.class);
        }
    }
}
