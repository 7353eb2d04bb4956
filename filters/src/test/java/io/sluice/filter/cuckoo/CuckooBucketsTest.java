/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CuckooBucketsTest {

    private static final int[] WIDTHS = {4, 5, 7, 8, 11, 12, 15, 16, 17, 18, 20, 21, 24, 31, 32};
    private static final long[] BUCKETS = {2, 4, 6, 10, 1_000, 1 << 16, 123_456, (1 << 28) - 2};

    /** Only the arithmetic of a shape, without its memory. */
    private static CuckooBuckets withoutMemory(int fingerprintBits, long buckets) {
        return new CuckooBuckets(new CuckooShape(fingerprintBits, 4, buckets), null);
    }

    @Test
    void slotsHoldWhatWasPutAndNothingElseChanges() {
        SplittableRandom random = Seeds.random();
        for (int f : WIDTHS) {
            for (int c : new int[] {2, 3, 4, 7, 8, 13, 16, 24, 31, 32}) {
                CuckooShape shape = new CuckooShape(f, c, 20);
                CuckooBuckets buckets = CuckooBuckets.create(shape, Storage.HEAP);
                long[][] model = new long[(int) shape.slots()][2];
                for (int i = 0; i < 1_500; i++) {
                    int at = random.nextInt(model.length);
                    int bucket = at / CuckooShape.SLOTS;
                    int slot = at % CuckooShape.SLOTS;
                    // Few fingerprints, so that buckets hold equal ones; often the extreme ones.
                    long most = (1L << f) - 1;
                    long x = random.nextInt(4);
                    long fingerprint = random.nextBoolean() ? x : most - x;
                    long count = random.nextLong(1L << c);
                    buckets.put(bucket, slot, fingerprint, count);
                    model[at][0] = fingerprint;
                    model[at][1] = count;
                    checkBucket(buckets, bucket, model, fingerprint);
                    checkBucket(buckets, random.nextInt(20), model, fingerprint);
                }
            }
        }
    }

    private static void checkBucket(
            CuckooBuckets buckets, int bucket, long[][] model, long fingerprint) {
        long equal = buckets.slotsWith(bucket, buckets.inEveryLane(fingerprint));
        for (int slot = 0; slot < CuckooShape.SLOTS; slot++) {
            long[] expected = model[bucket * CuckooShape.SLOTS + slot];
            if (buckets.fingerprint(bucket, slot) != expected[0]
                    || buckets.count(bucket, slot) != expected[1]) {
                throw new AssertionError(
                        buckets.shape() + ": bucket " + bucket + " slot " + slot + " changed");
            }
        }
        int found = 0;
        for (long left = equal; left != 0; left &= left - 1) {
            assertThat(model[bucket * CuckooShape.SLOTS + buckets.firstOf(left)][0])
                    .isEqualTo(fingerprint);
            found++;
        }
        int held = 0;
        for (int slot = 0; slot < CuckooShape.SLOTS; slot++) {
            held += model[bucket * CuckooShape.SLOTS + slot][0] == fingerprint ? 1 : 0;
        }
        assertThat(found).isEqualTo(held);
    }

    @Test
    void theAlternateOfTheAlternateIsTheBucketAndNeverTheSame() {
        SplittableRandom random = Seeds.random();
        for (long m : BUCKETS) {
            CuckooBuckets buckets = withoutMemory(16, m);
            for (long fingerprint = 1; fingerprint < 1 << 16; fingerprint++) {
                check(buckets, 0, fingerprint, m);
                check(buckets, m - 1, fingerprint, m);
                check(buckets, random.nextLong(m), fingerprint, m);
            }
        }
    }

    @Test
    void theAlternateOfTheAlternateIsTheBucketForWideFingerprintsToo() {
        SplittableRandom random = Seeds.random();
        for (long m : BUCKETS) {
            CuckooBuckets buckets = withoutMemory(32, m);
            for (int i = 0; i < 50_000; i++) {
                check(buckets, random.nextLong(m), random.nextLong(1, 1L << 32), m);
            }
            check(buckets, m - 1, (1L << 32) - 1, m);
        }
    }

    private static void check(CuckooBuckets buckets, long bucket, long fingerprint, long m) {
        long other = buckets.alternate(bucket, fingerprint);
        if (other < 0
                || other >= m
                || other == bucket
                || buckets.alternate(other, fingerprint) != bucket) {
            throw new AssertionError(
                    "m " + m + ", fingerprint " + fingerprint + ": " + bucket + " -> " + other);
        }
    }

    @Test
    void fingerprintsAreNeverZeroAndInRange() {
        SplittableRandom random = Seeds.random();
        for (int f : WIDTHS) {
            CuckooBuckets buckets = withoutMemory(f, 10);
            assertThat(buckets.fingerprintOf(0)).isEqualTo(1);
            assertThat(buckets.fingerprintOf(-1)).isEqualTo((1L << f) - 1);
            for (int i = 0; i < 1_000; i++) {
                assertThat(buckets.fingerprintOf(random.nextLong())).isBetween(1L, (1L << f) - 1);
            }
        }
    }

    /** Chi-squared over all pairs of (bucket, fingerprint): equally likely, and independent. */
    @Test
    void bucketsAndFingerprintsAreIndependentAndUniform() {
        SplittableRandom random = Seeds.random();
        int m = 30;
        int fingerprints = 15;
        CuckooBuckets buckets = withoutMemory(4, m);
        double[] seen = new double[m * fingerprints];
        double[] seenAlternate = new double[m * fingerprints];
        int n = 2_000_000;
        for (int i = 0; i < n; i++) {
            long hash = random.nextLong();
            int fingerprint = (int) buckets.fingerprintOf(hash);
            long bucket = buckets.bucketOf(hash);
            seen[(int) bucket * fingerprints + fingerprint - 1]++;
            long alternate = buckets.alternate(bucket, fingerprint);
            seenAlternate[(int) alternate * fingerprints + fingerprint - 1]++;
        }
        for (double[] counts : new double[][] {seen, seenAlternate}) {
            double expected = (double) n / counts.length;
            double chiSquared = 0;
            for (double count : counts) {
                chiSquared += (count - expected) * (count - expected) / expected;
            }
            double freedom = counts.length - 1;
            assertThat(chiSquared).isCloseTo(freedom, within(5 * Math.sqrt(2 * freedom)));
        }
    }
}
