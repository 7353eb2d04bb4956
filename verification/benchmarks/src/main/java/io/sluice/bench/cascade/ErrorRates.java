/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.peer.Keys;
import io.sluice.bench.report.BenchReport;
import io.sluice.filter.cascade.CascadeStatistics;
import java.util.Locale;

/**
 * What a filled cascade filter answers for keys that it holds and for keys that it does not hold.
 */
final class ErrorRates {
    private static final long ABSENT = 1L << 48;
    private static final double CONFIDENCE = 0.999;

    private ErrorRates() {}

    /**
     * Looks keys up, and also reports the bits per key.
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
        add(report, set, keys, held, missed, probes, reported, configured);
    }

    private static void add(
            BenchReport report,
            CascadeSet set,
            long keys,
            long held,
            long missed,
            long probes,
            long reported,
            double configured) {
        CascadeStatistics statistics = set.statistics();
        String of = String.format(Locale.ROOT, "%,d of %,d keys", held, keys);
        report.add("cascade.falseNegatives", (double) missed, "keys", "<= 0", of + " asked");
        report.check(
                "cascade.falseNegatives",
                missed == 0,
                missed + " keys denied that were added; " + of + " asked");
        double upper = poissonUpper(reported, CONFIDENCE) / probes;
        report.add(
                "cascade.fpp",
                (double) reported / probes,
                "probability",
                "",
                "%,d of %,d absent keys reported; the filter's own estimate %.3g",
                reported,
                probes,
                statistics.estimatedFpp());
        report.add(
                "cascade.fppUpper",
                upper,
                "probability",
                "<= " + configured,
                "upper bound of that at 99.9 %");
        report.add("cascade.fppConfigured", configured, "probability", "", "asked for");
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
        CascadeStatistics statistics = set.statistics();
        report.add(
                "cascade.bitsPerKey" + suffix,
                8.0 * statistics.diskBytes() / keys,
                "bits",
                String.format(Locale.ROOT, "<= %.2f", Math.log(1 / configured) / Math.log(2) + 3.5),
                "on disk, %d files; %.2f bits a key of memory without the page" + " cache",
                statistics.files(),
                8.0 * statistics.memoryBytes() / keys);
    }

    /** The mean for which this many events, or fewer, have probability 1 - confidence. */
    static double poissonUpper(long events, double confidence) {
        double low = events;
        double high = events + 20 + 10 * Math.sqrt((double) events);
        for (int i = 0; i < 100; i++) {
            double middle = (low + high) / 2;
            if (poissonAtMost(events, middle) > 1 - confidence) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /** The mean for which this many events, or more, have probability 1 - confidence. */
    static double poissonLower(long events, double confidence) {
        double low = 0;
        double high = events;
        for (int i = 0; i < 100 && events > 0; i++) {
            double middle = (low + high) / 2;
            if (1 - poissonAtMost(events - 1, middle) < 1 - confidence) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Probability of at most {@code events} when {@code mean} are expected. */
    private static double poissonAtMost(long events, double mean) {
        double sum = 0;
        double logTerm = -mean;
        for (long k = 0; k <= events; k++) {
            sum += Math.exp(logTerm);
            logTerm += Math.log(mean / (k + 1));
        }
        return sum;
    }
}
