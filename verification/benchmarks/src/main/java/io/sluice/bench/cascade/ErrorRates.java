/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.peer.Keys;
import io.sluice.bench.report.BenchReport;
import java.util.Locale;
import org.apache.commons.math3.distribution.ChiSquaredDistribution;

/**
 * What a filled cascade filter answers for keys that it holds and for keys that it does not hold.
 */
final class ErrorRates {
    private static final long ABSENT = 1L << 48;
    private static final double CONFIDENCE = 0.999;

    private ErrorRates() {}

    /**
     * Looks keys up.
     *
     * @param keys all numbers of {@link Keys#key} below this are held
     * @param probes keys of either kind to look up
     */
    static void run(BenchReport report, CascadeSet set, long keys, long probes, double configured) {
        long held = Math.min(keys, probes);
        long missed = 0;
        for (long i = 0; i < held; i++) {
            missed += set.contains(Keys.key((long) ((double) i / held * keys))) ? 0 : 1;
        }
        long reported = 0;
        for (long i = 0; i < probes; i++) {
            reported += set.contains(Keys.key(ABSENT + i)) ? 1 : 0;
        }
        String name = "cascade.falseNegatives";
        String of = held + " of " + keys + " keys asked";
        report.add(name, (double) missed, "keys", "<= 0", of);
        report.check(name, missed == 0, missed + " keys denied that were added; " + of);
        report.add(
                "cascade.fpp",
                (double) reported / probes,
                "probability",
                "",
                "%,d of %,d absent keys reported; the filter's own estimate %.3g",
                reported,
                probes,
                set.statistics().estimatedFpp());
        report.add(
                "cascade.fppUpper",
                poissonUpper(reported, CONFIDENCE) / probes,
                "probability",
                "<= " + configured,
                "upper bound of that at 99.9 %");
        report.check(
                "cascade.fpp",
                poissonLower(reported, CONFIDENCE) / probes <= configured,
                reported + " of " + probes + " absent keys reported, asked " + configured);
    }

    /**
     * What a key takes on disk.
     *
     * @param suffix of the figure's name
     * @param keys that the set has
     */
    static void bits(
            BenchReport report, String suffix, CascadeSet set, long keys, double configured) {
        report.add(
                "cascade.bitsPerKey" + suffix,
                8.0 * set.diskBytes() / keys,
                "bits",
                String.format(Locale.ROOT, "<= %.2f", Math.log(1 / configured) / Math.log(2) + 3.5),
                "on disk, %d files; %.2f bits a key of memory without the page cache",
                set.statistics().files(),
                8.0 * set.statistics().memoryBytes() / keys);
    }

    /** The mean for which this many events, or fewer, have probability 1 - confidence. */
    static double poissonUpper(long events, double confidence) {
        return chiSquared(2.0 * events + 2, confidence) / 2;
    }

    /** The mean for which this many events, or more, have probability 1 - confidence. */
    static double poissonLower(long events, double confidence) {
        return events == 0 ? 0 : chiSquared(2.0 * events, 1 - confidence) / 2;
    }

    private static double chiSquared(double degrees, double probability) {
        return new ChiSquaredDistribution(degrees).inverseCumulativeProbability(probability);
    }
}
