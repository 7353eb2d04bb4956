/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Unmixed;
import io.sluice.filter.memory.Storage;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random operations on small filters, each followed by a check of every bit, against an exact
 * sorted multiset: all loads up to full, dense clusters, long runs, crowds at the very end.
 */
class QuotientFilterModelTest {

    /** How fingerprints are drawn. */
    private enum Crowding {
        /** Like hashes. */
        UNIFORM,
        /** Few remainders: long runs and many copies. */
        FEW_REMAINDERS,
        /** Half of them in the last quotients: what spills goes after the last home. */
        AT_THE_END,
        /** All in two quotients: runs of many blocks. */
        TWO_RUNS
    }

    @Test
    void agreesWithASortedMultisetAfterEveryOperation() {
        compare(200, 1_000);
    }

    @Test
    @Tag("long")
    void agreesWithASortedMultisetAfterMillionsOfOperations() {
        compare(5_000, 2_000);
    }

    private static void compare(int filters, int operations) {
        for (int i = 0; i < filters; i++) {
            long seed = Seeds.seed(i);
            SplittableRandom random = new SplittableRandom(seed);
            try {
                compare(random, operations, i);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    private static void compare(SplittableRandom random, int operations, int number) {
        int quotientBits = 1 + random.nextInt(10);
        // Narrow ones, where remainders are equal, and some of every possible width.
        int remainderBits =
                number % 4 == 0 ? 1 + random.nextInt(63 - quotientBits) : 1 + random.nextInt(12);
        Crowding crowding = Crowding.values()[random.nextInt(Crowding.values().length)];
        QuotientFilter filter =
                QuotientFilter.builder()
                        .bits(quotientBits, remainderBits)
                        .maxLoad(1)
                        .storage(number % 5 == 0 ? Storage.OFF_HEAP : Storage.HEAP)
                        .build();
        FingerprintModel model = new FingerprintModel();
        // Above this many, as many are removed as inserted.
        double level = random.nextDouble() * (double) filter.capacity();
        for (int i = 0; i < operations; i++) {
            long fingerprint = draw(random, crowding, quotientBits, remainderBits);
            step(filter, model, fingerprint, random, level);
            filter.checkInvariants();
            assertThat(filter.size()).isEqualTo(model.size());
        }
        model.mustEqual(filter);
        if (remainderBits > 1) {
            filter.resize(quotientBits + 1);
            model.mustEqual(filter);
            filter.resize(quotientBits);
            model.mustEqual(filter);
        }
        for (long fingerprint : model.ascending()) {
            assertThat(filter.removeFingerprint(fingerprint)).isTrue();
        }
        filter.checkInvariants();
        assertThat(filter.size()).isZero();
    }

    private static void step(
            QuotientFilter filter,
            FingerprintModel model,
            long fingerprint,
            SplittableRandom random,
            double level) {
        int kind = random.nextInt(4);
        boolean room = model.size() < filter.capacity();
        if (room && (kind < 2 || model.size() < level)) {
            if (random.nextBoolean()) {
                boolean absent = !model.contains(fingerprint);
                assertThat(filter.addFingerprint(fingerprint)).isEqualTo(absent);
                if (absent) {
                    model.insert(fingerprint);
                }
            } else {
                filter.insertFingerprint(fingerprint);
                model.insert(fingerprint);
            }
        } else if (kind == 2) {
            // One in four was perhaps never added.
            boolean near = model.size() > 0 && random.nextInt(4) > 0;
            long removed = near ? model.heldNear(fingerprint) : fingerprint;
            assertThat(filter.removeFingerprint(removed)).isEqualTo(model.remove(removed));
        } else {
            assertThat(filter.containsFingerprint(fingerprint))
                    .isEqualTo(model.contains(fingerprint));
            long hash = Unmixed.hash(fingerprint << (Long.SIZE - filter.fingerprintBits()));
            assertThat(filter.count(hash)).isEqualTo(model.count(fingerprint));
        }
    }

    private static long draw(
            SplittableRandom random, Crowding crowding, int quotientBits, int remainderBits) {
        long greatest = -1L >>> (Long.SIZE - quotientBits - remainderBits);
        long any = random.nextLong() & greatest;
        return switch (crowding) {
            case UNIFORM -> any;
            case FEW_REMAINDERS ->
                    (any & -1L << remainderBits) | random.nextInt(remainderBits < 3 ? 2 : 5);
            case AT_THE_END ->
                    random.nextBoolean() ? any : greatest - random.nextLong(Math.min(greatest, 99));
            case TWO_RUNS ->
                    (any & (1L << remainderBits) - 1) | (random.nextInt(3) & 1L) << remainderBits;
        };
    }

    /** A filter far larger than its blocks' tail, to full: spills of many blocks. */
    @Test
    void agreesWhenFilledToTheLastSlotAndEmptied() {
        int quotientBits = 12;
        QuotientFilter filter =
                QuotientFilter.builder().bits(quotientBits, 9).maxLoad(1).growing().build();
        FingerprintModel model = new FingerprintModel();
        SplittableRandom random = Seeds.random();
        while (model.size() < filter.capacity() && filter.quotientBits() == quotientBits) {
            long fingerprint = random.nextLong(1L << (quotientBits + 9));
            filter.insertFingerprint(fingerprint);
            model.insert(fingerprint);
            if (model.size() % 64 == 0) {
                filter.checkInvariants();
            }
        }
        assertThat(filter.load()).isEqualTo(1);
        model.mustEqual(filter);
        long[] all = model.ascending();
        for (int i = 0; i < all.length; i++) {
            long fingerprint = all[(int) ((i * 2_654_435_761L) % all.length)];
            assertThat(filter.removeFingerprint(fingerprint)).isEqualTo(model.remove(fingerprint));
            if (i % 64 == 0) {
                model.mustEqual(filter);
            }
        }
        model.mustEqual(filter);
    }
}
