/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FingerprintTableTest {

    private static final int PLANES = PlaneSizing.TABLE_PLANES;
    private static final long ALL = (1L << PLANES) - 1;

    private static FingerprintTable table(int lines, int fingerprintBits) {
        return (FingerprintTable) PlaneArray.create(Geometry.fingerprints(lines, fingerprintBits));
    }

    /** From empty to far beyond full, planes retired in any order, sweeps cut anywhere. */
    @ParameterizedTest
    @ValueSource(ints = {4, 6, 7, 8, 11, 16, 27, 58})
    void neverDeniesAnIdOfALivePlane(int fingerprintBits) {
        SplittableRandom random = Seeds.random();
        int lines = 8;
        int slots = lines * Geometry.LINE_WORDS * FingerprintTable.lanesPerWord(fingerprintBits);
        FingerprintTable table = table(lines, fingerprintBits);
        List<List<Long>> planes = new ArrayList<>();
        for (int plane = 0; plane < PLANES; plane++) {
            planes.add(new ArrayList<>());
        }
        long live = ALL;
        for (int step = 0; step < 300; step++) {
            int plane = random.nextInt(PLANES);
            if ((live >>> plane & 1) == 0) {
                table.sweep(random.nextInt(lines * Geometry.LINE_WORDS));
                live |= (table.dirty() >>> plane & 1) == 0 ? 1L << plane : 0;
            } else if (random.nextInt(4) == 0) {
                live &= ~(1L << plane);
                planes.get(plane).clear();
                table.retire(1L << plane);
            } else {
                for (int i = random.nextInt(1 + slots / 2); i > 0; i--) {
                    long hash = random.nextLong();
                    if (table.set(hash, 0, 1L << plane)) {
                        planes.get(plane).add(hash);
                    }
                }
            }
            assertThat(table.holdsOnly(live | table.dirty())).isTrue();
            for (int i = 0; i < PLANES; i++) {
                for (long hash : planes.get(i)) {
                    assertThat(table.holds(hash, 0, live)).isTrue();
                    assertThat(table.holds(hash, 0, 1L << i)).isTrue();
                }
            }
        }
    }

    /** Even if all its lines are marked as full by others. */
    @Test
    void anIdIsInItsPlaneAndInNoOther() {
        SplittableRandom random = Seeds.random();
        FingerprintTable table = table(8, 58);
        long[] ids =
                random.longs(62).filter(hash -> table.set(hash, 0, 1L << (hash & 15))).toArray();
        assertThat(ids).hasSizeGreaterThan(50);
        for (long hash : ids) {
            long plane = 1L << (hash & 15);
            assertThat(table.holds(hash, 0, plane)).isTrue();
            assertThat(table.holds(hash, 0, ALL)).isTrue();
            assertThat(table.holds(hash, 0, ALL & ~plane)).isFalse();
        }
        random.longs(1_000).forEach(hash -> assertThat(table.holds(hash, 0, ALL)).isFalse());
    }

    /** What a reader asks of a file. */
    @ParameterizedTest
    @ValueSource(ints = {4, 8, 11, 27, 58})
    void eachBitThatNoInsertionSetsIsFound(int fingerprintBits) {
        FingerprintTable table = table(1, fingerprintBits);
        int plane = 5;
        long id = Seeds.random().nextLong();
        table.set(id, 0, 1L << plane);
        assertThat(table.holdsOnly(1L << plane)).isTrue();
        assertThat(table.holdsOnly(ALL & ~(1L << plane))).isFalse();

        int lanes = FingerprintTable.lanesPerWord(fingerprintBits);
        int laneBits = fingerprintBits + FingerprintTable.AGE_BITS;
        for (int word = 0; word < Geometry.LINE_WORDS; word++) {
            int at = PlaneArray.PADDING + word;
            long before = table.words[at];
            for (int bit = 0; bit < Long.SIZE; bit++) {
                int lane = bit / laneBits;
                long slot = before >>> (lane * laneBits) & (1L << laneBits) - 1;
                table.words[at] = before | 1L << bit;
                boolean isMark = bit >= Long.SIZE - 2;
                int marked = bit == Long.SIZE - 2 ? word : word + 8;
                boolean isPadding = !isMark && lane >= lanes;
                boolean isAge = !isMark && !isPadding && bit % laneBits >= fingerprintBits;
                boolean isSet = (before >>> bit & 1) != 0;
                boolean isSound =
                        isMark ? marked == plane : isSet || (!isPadding && !isAge && slot != 0);
                assertThat(table.holdsOnly(1L << plane))
                        .as("bit %s of word %s", bit, word)
                        .isEqualTo(isSound);
                if (isMark) {
                    assertThat(table.holdsOnly(1L << plane | 1L << marked)).isTrue();
                }
            }
            table.words[at] = before;
        }
        assertThat(table.holdsOnly(1L << plane)).isTrue();
    }

    @Test
    void aRetiredPlaneIsGoneAtOnceAndItsSlotsAfterTheSweep() {
        SplittableRandom random = Seeds.random();
        FingerprintTable table = table(256, 27);
        long[] old = random.longs(1_500).toArray();
        long[] young = random.longs(1_500).toArray();
        for (int i = 0; i < old.length; i++) {
            table.set(old[i], 0, 1L << 2);
            table.set(young[i], 0, 1L << 5);
        }
        table.retire(1L << 2);
        for (long hash : old) {
            assertThat(table.holds(hash, 0, 1L << 5)).isFalse();
        }
        table.finishSweep();
        assertThat(table.measuredFpp(1L << 2, Integer.MAX_VALUE)).isZero();
        for (long hash : young) {
            assertThat(table.holds(hash, 0, 1L << 5)).isTrue();
        }
        table.retire(1L << 5);
        table.finishSweep();
        for (long word : table.words) {
            assertThat(word).isZero();
        }
    }

    /** Loads from half to what the sizing allows; within five standard errors, and 3 % of model. */
    @ParameterizedTest
    @CsvSource({"8, 0.5", "8, 0.85", "11, 0.5", "11, 0.7", "11, 0.85"})
    void errsAsOftenAsTheModelSays(int fingerprintBits, double load) {
        SplittableRandom random = Seeds.random();
        int lines = 20_000;
        int slots = Geometry.LINE_WORDS * FingerprintTable.lanesPerWord(fingerprintBits);
        FingerprintTable table = table(lines, fingerprintBits);
        long ids = (long) (load * slots * lines);
        for (long i = 0; i < ids; i++) {
            table.set(random.nextLong(), 0, 1L << (i * PLANES / ids));
        }
        double model =
                FingerprintModel.fpp(load * slots, slots, fingerprintBits, Geometry.MAX_LINES);
        int probes = 1_000_000;
        int positives = 0;
        for (int i = 0; i < probes; i++) {
            positives += table.holds(random.nextLong(), 0, ALL) ? 1 : 0;
        }
        double expected = model * probes;
        assertThat((double) positives)
                .isCloseTo(expected, within(5 * Math.sqrt(expected) + 0.03 * expected));
        assertThat(table.measuredFpp(ALL, Integer.MAX_VALUE) * probes)
                .isCloseTo(expected, within(5 * Math.sqrt(expected) + 0.03 * expected));
    }

    /** However full the table is: an absent id is reported only for its fingerprint. */
    @ParameterizedTest
    @CsvSource({"8, 0.9", "8, 0.95", "11, 0.9", "11, 0.95", "11, 1.0", "16, 1.0"})
    void errsLittleMoreWhenItIsFull(int fingerprintBits, double load) {
        SplittableRandom random = Seeds.random();
        int lines = 20_000;
        int slots = Geometry.LINE_WORDS * FingerprintTable.lanesPerWord(fingerprintBits);
        FingerprintTable table = table(lines, fingerprintBits);
        long ids = (long) (load * slots * lines);
        for (long i = 0; i < ids; i++) {
            table.set(random.nextLong(), 0, 1L << (i * PLANES / ids));
        }
        int probes = 4_000_000;
        int positives = 0;
        for (int i = 0; i < probes; i++) {
            positives += table.holds(random.nextLong(), 0, ALL) ? 1 : 0;
        }
        double expected = table.measuredFpp(ALL, 256) * probes;
        assertThat((double) positives)
                .isCloseTo(expected, within(5 * Math.sqrt(expected) + 0.1 * expected));
        assertThat((double) positives / probes)
                .isLessThan(Geometry.MAX_LINES * slots * Math.pow(2, -fingerprintBits));
    }

    @Test
    void aFullTableRefusesAnIdAndChangesNothing() {
        SplittableRandom random = Seeds.random();
        FingerprintTable table = table(16, 11);
        List<Long> held = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 2_000; i++) {
            long hash = random.nextLong();
            long[] before = table.words.clone();
            if (table.set(hash, 0, 1L << (i & 15))) {
                held.add(hash);
            } else {
                refused++;
                assertThat(table.words).isEqualTo(before);
            }
        }
        assertThat(refused).isPositive();
        assertThat(held).hasSizeGreaterThan(16 * 32 * 9 / 10 - 32);
        for (long hash : held) {
            assertThat(table.holds(hash, 0, ALL)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12})
    void sizingKeepsWhatItPromises(double fpp) {
        Geometry geometry = PlaneSizing.geometry(Layout.FINGERPRINTS, fpp, 10_000);
        double lines = geometry.positions() / 64.0;
        int bits = geometry.perLine();
        int slots = Geometry.LINE_WORDS * FingerprintTable.lanesPerWord(bits);
        double ids = 10_000 / lines;
        assertThat(ids).isLessThan(0.86 * slots);
        assertThat(FingerprintModel.fpp(ids, slots, bits, geometry.lines()))
                .isLessThanOrEqualTo(fpp);
    }
}
