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

    private static final int PLANES = PlaneSizing.PLANES;
    private static final long ALL = (1 << PLANES) - 1;

    private static FingerprintTable table(int lines, int fingerprintBits) {
        return (FingerprintTable) PlaneArray.create(Geometry.fingerprints(lines, fingerprintBits));
    }

    /** From empty to far beyond full, planes retired in any order, sweeps cut anywhere. */
    @ParameterizedTest
    @ValueSource(ints = {4, 6, 7, 9, 12, 18, 28, 60})
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
                    if (table.set(hash, 1L << plane)) {
                        planes.get(plane).add(hash);
                    }
                }
            }
            assertThat(table.holdsOnly(live | table.dirty())).isTrue();
            for (int i = 0; i < PLANES; i++) {
                for (long hash : planes.get(i)) {
                    assertThat(table.holds(hash, live)).isTrue();
                    assertThat(table.holdsIn(hash, 1L << i)).isTrue();
                }
            }
        }
    }

    /** Even if all its lines are marked as full by others. */
    @Test
    void anIdIsInItsPlaneAndInNoOther() {
        SplittableRandom random = Seeds.random();
        FingerprintTable table = table(8, 60);
        long[] ids = random.longs(62).filter(hash -> table.set(hash, 1L << (hash & 7))).toArray();
        assertThat(ids).hasSizeGreaterThan(50);
        for (long hash : ids) {
            long plane = 1L << (hash & 7);
            assertThat(table.holdsIn(hash, plane)).isTrue();
            assertThat(table.holdsIn(hash, ALL)).isTrue();
            assertThat(table.holdsIn(hash, ALL & ~plane)).isFalse();
        }
        random.longs(1_000).forEach(hash -> assertThat(table.holdsIn(hash, ALL)).isFalse());
    }

    /** What a reader asks of a file. */
    @ParameterizedTest
    @ValueSource(ints = {4, 9, 12, 28, 60})
    void eachBitThatNoInsertionSetsIsFound(int fingerprintBits) {
        FingerprintTable table = table(1, fingerprintBits);
        int plane = 5;
        long id = Seeds.random().nextLong();
        table.set(id, 1L << plane);
        assertThat(table.holdsOnly(1L << plane)).isTrue();
        assertThat(table.holdsOnly(ALL & ~(1L << plane))).isFalse();

        int lanes = FingerprintTable.lanesPerWord(fingerprintBits);
        int laneBits = fingerprintBits + 3;
        for (int word = 0; word < Geometry.LINE_WORDS; word++) {
            int at = PlaneArray.PADDING + word;
            long before = table.words[at];
            for (int bit = 0; bit < Long.SIZE; bit++) {
                int lane = bit / laneBits;
                long slot = before >>> (lane * laneBits) & (1L << laneBits) - 1;
                table.words[at] = before | 1L << bit;
                boolean isMark = bit == Long.SIZE - 1;
                boolean isPadding = !isMark && lane >= lanes;
                boolean isAge = !isMark && !isPadding && bit % laneBits >= fingerprintBits;
                boolean isSet = (before >>> bit & 1) != 0;
                boolean isSound =
                        isMark ? word == plane : isSet || (!isPadding && !isAge && slot != 0);
                assertThat(table.holdsOnly(1L << plane))
                        .as("bit %s of word %s", bit, word)
                        .isEqualTo(isSound);
                if (isMark) {
                    assertThat(table.holdsOnly(1L << plane | 1L << word)).isTrue();
                }
            }
            table.words[at] = before;
        }
        assertThat(table.holdsOnly(1L << plane)).isTrue();
    }

    @Test
    void aRetiredPlaneIsGoneAtOnceAndItsSlotsAfterTheSweep() {
        SplittableRandom random = Seeds.random();
        FingerprintTable table = table(256, 28);
        long[] old = random.longs(1_500).toArray();
        long[] young = random.longs(1_500).toArray();
        for (int i = 0; i < old.length; i++) {
            table.set(old[i], 1L << 2);
            table.set(young[i], 1L << 5);
        }
        table.retire(1L << 2);
        for (long hash : old) {
            assertThat(table.holds(hash, 1L << 5)).isFalse();
        }
        table.finishSweep();
        assertThat(table.measuredFpp(1L << 2, Integer.MAX_VALUE)).isZero();
        for (long hash : young) {
            assertThat(table.holds(hash, 1L << 5)).isTrue();
        }
        table.retire(1L << 5);
        table.finishSweep();
        for (long word : table.words) {
            assertThat(word).isZero();
        }
    }

    /** Loads from half to what the sizing allows; within five standard errors, and 3 % of model. */
    @ParameterizedTest
    @CsvSource({"9, 0.5", "9, 0.85", "12, 0.5", "12, 0.7", "12, 0.85"})
    void errsAsOftenAsTheModelSays(int fingerprintBits, double load) {
        SplittableRandom random = Seeds.random();
        int lines = 20_000;
        int slots = Geometry.LINE_WORDS * FingerprintTable.lanesPerWord(fingerprintBits);
        FingerprintTable table = table(lines, fingerprintBits);
        long ids = (long) (load * slots * lines);
        for (long i = 0; i < ids; i++) {
            table.set(random.nextLong(), 1L << (i * PLANES / ids));
        }
        double model =
                FingerprintModel.fpp(load * slots, slots, fingerprintBits, Geometry.MAX_LINES);
        int probes = 1_000_000;
        int positives = 0;
        for (int i = 0; i < probes; i++) {
            positives += table.holds(random.nextLong(), ALL) ? 1 : 0;
        }
        double expected = model * probes;
        assertThat((double) positives)
                .isCloseTo(expected, within(5 * Math.sqrt(expected) + 0.03 * expected));
        assertThat(table.measuredFpp(ALL, Integer.MAX_VALUE) * probes)
                .isCloseTo(expected, within(5 * Math.sqrt(expected) + 0.03 * expected));
    }

    /** However full the table is: an absent id is reported only for its fingerprint. */
    @ParameterizedTest
    @CsvSource({"9, 0.9", "9, 0.95", "12, 0.9", "12, 0.95", "12, 1.0", "18, 1.0"})
    void errsLittleMoreWhenItIsFull(int fingerprintBits, double load) {
        SplittableRandom random = Seeds.random();
        int lines = 20_000;
        int slots = Geometry.LINE_WORDS * FingerprintTable.lanesPerWord(fingerprintBits);
        FingerprintTable table = table(lines, fingerprintBits);
        long ids = (long) (load * slots * lines);
        for (long i = 0; i < ids; i++) {
            table.set(random.nextLong(), 1L << (i * PLANES / ids));
        }
        int probes = 4_000_000;
        int positives = 0;
        for (int i = 0; i < probes; i++) {
            positives += table.holds(random.nextLong(), ALL) ? 1 : 0;
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
        FingerprintTable table = table(16, 12);
        List<Long> held = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 2_000; i++) {
            long hash = random.nextLong();
            long[] before = table.words.clone();
            if (table.set(hash, 1L << (i & 7))) {
                held.add(hash);
            } else {
                refused++;
                assertThat(table.words).isEqualTo(before);
            }
        }
        assertThat(refused).isPositive();
        assertThat(held).hasSizeGreaterThan(16 * 32 * 9 / 10 - 32);
        for (long hash : held) {
            assertThat(table.holds(hash, ALL)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12})
    void sizingKeepsWhatItPromises(double fpp) {
        Geometry geometry = PlaneSizing.geometry(Layout.FINGERPRINTS, fpp, 10_000);
        double lines = geometry.positions() / 64.0;
        int bits = geometry.perLine();
        int slots = Geometry.LINE_WORDS * FingerprintTable.lanesPerWord(bits);
        double ids = PLANES * 10_000 / lines;
        assertThat(ids).isLessThan(0.86 * slots);
        assertThat(FingerprintModel.fpp(ids, slots, bits, geometry.lines()))
                .isLessThanOrEqualTo(fpp);
    }
}
