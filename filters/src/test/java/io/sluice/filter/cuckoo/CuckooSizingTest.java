/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CuckooSizingTest {

    /** 16,384 buckets with 64,000 keys: computed independently for several widths. */
    @Test
    void agreesWithTabulatedProbabilities() {
        double load = 64_000.0 / 65_536;
        assertThat(CuckooSizing.separateFpp(8, load)).isCloseTo(0.0302, within(1e-4));
        assertThat(CuckooSizing.separateFpp(12, load)).isCloseTo(0.0019060, within(1e-6));
        assertThat(CuckooSizing.separateFpp(16, load)).isCloseTo(0.00011921, within(1e-8));
        assertThat(CuckooSizing.separateFpp(20, load)).isCloseTo(7.4505e-6, within(1e-9));
    }

    @Test
    void agreesWithTheExpectedNumberOfMergedElements() {
        assertThat(CuckooSizing.mergedElements(new CuckooShape(8, 8, 16_384), 64_000))
                .isCloseTo(980.4, within(0.1));
        assertThat(CuckooSizing.mergedElements(new CuckooShape(12, 8, 1_024), 4_000))
                .isCloseTo(3.8, within(0.1));
    }

    @Test
    void capacityAndBucketsAreInverse() {
        for (long capacity = 1; capacity < 500_000_000; capacity = capacity * 5 / 4 + 1) {
            long buckets = CuckooSizing.buckets(capacity);
            assertThat(buckets % 2).isZero();
            assertThat(CuckooSizing.capacity(buckets)).isGreaterThanOrEqualTo(capacity);
            assertThat(buckets == 2 || CuckooSizing.capacity(buckets - 2) < capacity).isTrue();
        }
    }

    @Test
    void theFewestFingerprintBitsAreFound() {
        for (double fpp = 0.4; fpp > 1e-8; fpp /= 2) {
            int bits = CuckooSizing.fingerprintBits(fpp, 0.9);
            assertThat(CuckooSizing.fpp(bits, 0.9)).isLessThanOrEqualTo(fpp);
            assertThat(bits == 4 || CuckooSizing.fpp(bits - 1, 0.9) > fpp).isTrue();
        }
        assertThat(CuckooSizing.bitsPerKey(12, 4, 0.8)).isEqualTo(20);
    }

    @Test
    void boundsBelongToTheirRangesAndNothingBeyondThemDoes() {
        for (int bits : new int[] {4, 12, CuckooShape.MAX_FINGERPRINT_BITS}) {
            double fpp = CuckooSizing.fpp(bits, 0.9);
            assertThat(CuckooSizing.fingerprintBits(fpp, 0.9)).isEqualTo(bits);
        }
        long most = CuckooSizing.capacity(CuckooShape.MAX_BUCKETS);
        assertThat(CuckooSizing.buckets(most)).isEqualTo(CuckooShape.MAX_BUCKETS);
        assertThatThrownBy(() -> CuckooSizing.buckets(most + 1)).hasMessageContaining("capacity");
        assertThat(CuckooSizing.fpp(12, 0)).isZero();
        assertThat(CuckooSizing.separateFpp(12, 1)).isCloseTo(8 / 4095.0, withinPercentage(1));
        assertThat(CuckooSizing.bitsPerKey(12, 4, 1)).isEqualTo(16);
        for (double load : new double[] {-0.01, 1.01, Double.NaN}) {
            assertThatThrownBy(() -> CuckooSizing.fpp(12, load)).hasMessageContaining("load");
            assertThatThrownBy(() -> CuckooSizing.separateFpp(12, load))
                    .hasMessageContaining("load");
            assertThatThrownBy(() -> CuckooSizing.bitsPerKey(12, 4, load))
                    .hasMessageContaining("load");
        }
        for (double fpp : new double[] {0, 1}) {
            assertThatThrownBy(() -> CuckooSizing.fingerprintBits(fpp, 0.9))
                    .hasMessageContaining("fpp must be between");
        }
    }

    /** Small filters too, except one in ten thousand of the smallest. */
    @Test
    void holdsTheCapacityItWasSizedFor() {
        SplittableRandom random = Seeds.random();
        int refused = 0;
        for (int capacity : new int[] {1, 2, 5, 10, 20, 50, 100, 300, 1_000, 3_000, 10_000}) {
            CuckooShape shape = CuckooShape.sized(capacity, 1e-3, 4);
            for (int run = 0; run < 1 + 20_000 / capacity; run++) {
                CountingCuckooFilter filter = CountingCuckooFilter.create(shape, Storage.HEAP);
                try {
                    for (int i = 0; i < capacity; i++) {
                        filter.insertSeparately(random.nextLong(), 1);
                    }
                    assertThat(filter.occupied()).isEqualTo(capacity);
                } catch (FilterFullException e) {
                    refused++;
                }
            }
        }
        assertThat(refused).as("of some 47,000 filters").isLessThanOrEqualTo(3);
    }

    /** Even with few different fingerprints, nearly all empty slots can be reached. */
    @Test
    void largeFiltersFillToNineHundredAndSeventyPerMille() {
        SplittableRandom random = Seeds.random();
        for (int f : new int[] {5, 7, 12, 20}) {
            CuckooShape shape = new CuckooShape(f, 4, 16_384);
            CountingCuckooFilter filter = CountingCuckooFilter.create(shape, Storage.HEAP);
            while (filter.load() < 0.97) {
                filter.insertSeparately(random.nextLong(), 1);
            }
        }
    }

    /** Within five standard errors, both ways, at several loads and widths. */
    @Test
    void theMeasuredProbabilityIsTheModelsIfEveryHashHasASlot() {
        measure(true);
    }

    /** With few fingerprint bits, a model that treats slots as independent is several % too low. */
    @Test
    void theMeasuredProbabilityIsTheModelsIfEqualFingerprintsAreMerged() {
        measure(false);
    }

    private static void measure(boolean separately) {
        SplittableRandom random = Seeds.random();
        for (int f : new int[] {4, 6, 7, 10, 12, 18}) {
            CuckooShape shape = new CuckooShape(f, 4, 50_000);
            CountingCuckooFilter filter = CountingCuckooFilter.create(shape, Storage.HEAP);
            for (double load : new double[] {0.25, 0.5, 0.75, 0.9, 0.95}) {
                while (filter.load() < load) {
                    if (separately) {
                        filter.insertSeparately(random.nextLong(), 1);
                    } else {
                        filter.insert(random.nextLong(), 1);
                    }
                }
                int probes = 400_000;
                int hits = 0;
                for (int i = 0; i < probes; i++) {
                    hits += filter.mightContain(random.nextLong()) ? 1 : 0;
                }
                double model =
                        separately
                                ? CuckooSizing.separateFpp(f, filter.load())
                                : CuckooSizing.fpp(f, filter.load());
                double ofFilter = filter.predictedFpp();
                assertThat(ofFilter).as("f %d", f).isCloseTo(model, withinPercentage(0.3));
                double expected = ofFilter * probes;
                double error = Math.sqrt(expected * (1 - ofFilter));
                assertThat((double) hits)
                        .as("f %d, load %s", f, load)
                        .isCloseTo(expected, within(5 * error + 1));
            }
        }
    }

    /** Counting slot by slot after a restore gives what was known before. */
    @Test
    void theProbabilityOfAFilterThatWasReadIsTheSame() throws IOException {
        SplittableRandom random = Seeds.random();
        for (boolean separately : new boolean[] {true, false}) {
            CountingCuckooFilter filter =
                    CountingCuckooFilter.create(new CuckooShape(5, 4, 1_000), Storage.HEAP);
            for (int i = 0; i < 3_000; i++) {
                if (separately) {
                    filter.insertSeparately(random.nextLong(), 1);
                } else {
                    filter.insert(random.nextLong(), 1);
                }
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            filter.writeTo(out);
            CountingCuckooFilter read =
                    CountingCuckooFilter.readFrom(
                            new ByteArrayInputStream(out.toByteArray()), "a copy", Storage.HEAP);
            assertThat(read.predictedFpp()).isEqualTo(filter.predictedFpp());
            assertThat(filter.buckets().repeated() > 0).isEqualTo(separately);
        }
    }

    @Test
    void refusesImpossibleValues() {
        assertThatThrownBy(() -> CuckooSizing.fingerprintBits(1, 0.9)).hasMessageContaining("fpp");
        assertThatThrownBy(() -> CuckooSizing.fingerprintBits(1e-12, 0.9))
                .hasMessageContaining("32 fingerprint bits");
        assertThatThrownBy(() -> CuckooSizing.fpp(8, 1.5)).hasMessageContaining("load");
        assertThatThrownBy(() -> CuckooSizing.buckets(0)).hasMessageContaining("capacity");
        assertThatThrownBy(() -> CuckooShape.sized(1L << 40, 0.01, 4))
                .hasMessageContaining("capacity");
    }
}
