/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.annotation.Experimental;

/**
 * Judges a deduplication by all that went in and all that came out. Knows nothing of filters: it
 * holds every record exactly.
 *
 * <ul>
 *   <li>An id <b>passed twice</b> if two of its records came out that are at most the window apart.
 *       That must never happen, except to records that were late: leave them out.
 *   <li>A first occurrence is <b>lost</b> if a record went in and none with its id came out within
 *       twice the window before or after it. (An id is held for the window at least, and for up to
 *       twice as long.) What was lost together, each record at most a window after the one before,
 *       counts once. That may happen with the probability that the deduplication was asked for.
 *   <li>A record is <b>invented</b> if it came out more often than it went in.
 * </ul>
 *
 * <p>Not thread-safe.
 *
 * @param <I> type of the ids; {@code equals} tells them apart
 */
@Experimental
public final class DeduplicationTruth<I> {

    /** A correct deduplication is judged wrong at most once in this number of verdicts. */
    private static final double ONE_IN = 1e9;

    private static final int EXAMPLES = 5;

    private final long window;
    private final Map<I, Times> ids = new LinkedHashMap<>();
    private long in;
    private long out;

    /**
     * Nothing went in or out so far.
     *
     * @param window within which each id passes once
     */
    public DeduplicationTruth(Duration window) {
        this.window = window.toMillis();
        if (this.window <= 0) {
            throw new IllegalArgumentException("window must be positive, got " + window);
        }
    }

    /** A record went in. */
    public void in(I id, long timestamp) {
        in++;
        timesOf(id).in.add(timestamp);
    }

    /** A record came out. */
    public void out(I id, long timestamp) {
        out++;
        timesOf(id).out.add(timestamp);
    }

    private Times timesOf(I id) {
        return ids.computeIfAbsent(Objects.requireNonNull(id, "id"), key -> new Times());
    }

    /**
     * What is to be said of everything so far. O(n log n).
     *
     * @param probability of taking a first occurrence for a duplicate that the deduplication was
     *     asked for; 0 for an exact one
     */
    public Verdict judge(double probability) {
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException("probability must be in [0, 1], got " + probability);
        }
        long twice = 0;
        long lost = 0;
        long invented = 0;
        List<String> examples = new ArrayList<>();
        for (Map.Entry<I, Times> entry : ids.entrySet()) {
            Times times = entry.getValue();
            times.sort();
            long idTwice = times.passedTwice(window);
            long idLost = times.lost(window);
            long idInvented = times.invented();
            if (idTwice + idLost + idInvented > 0 && examples.size() < EXAMPLES) {
                examples.add(entry.getKey() + " in " + times.in + " out " + times.out);
            }
            twice += idTwice;
            lost += idLost;
            invented += idInvented;
        }
        long firsts = out - twice - invented + lost;
        long mayBeLost = poissonBound((double) Math.max(0, firsts) * probability);
        return new Verdict(in, out, twice, lost, mayBeLost, invented, examples);
    }

    /** The least n such that a Poisson variable of that mean exceeds n once in {@link #ONE_IN}. */
    private static long poissonBound(double mean) {
        if (mean == 0) {
            return 0;
        }
        // The tail is summed from where its terms no longer matter, each from the one after it.
        long n = (long) Math.ceil(mean + 7 * Math.sqrt(mean) + 30);
        double logTerm = (double) n * Math.log(mean) - mean;
        for (long i = 2; i <= n; i++) {
            logTerm -= Math.log((double) i);
        }
        double tail = 0;
        for (; n > 0; n--) {
            tail += Math.exp(logTerm);
            if (tail > 1 / ONE_IN) {
                return n;
            }
            logTerm += Math.log((double) n) - Math.log(mean);
        }
        return 0;
    }

    /** When the records of one id went in and came out. */
    private static final class Times {
        private final List<Long> in = new ArrayList<>();
        private final List<Long> out = new ArrayList<>();

        void sort() {
            in.sort(null);
            out.sort(null);
        }

        long passedTwice(long window) {
            long twice = 0;
            for (int i = 1; i < out.size(); i++) {
                twice += apart(out.get(i - 1), out.get(i), window) ? 0 : 1;
            }
            return twice;
        }

        long lost(long window) {
            long lost = 0;
            boolean any = false;
            long last = 0;
            for (long time : in) {
                if (!passedAround(time, 2 * window)) {
                    lost += !any || apart(last, time, window) ? 1 : 0;
                    any = true;
                    last = time;
                }
            }
            return lost;
        }

        private boolean passedAround(long time, long distance) {
            int at = Collections.binarySearch(out, time);
            int after = at < 0 ? -at - 1 : at;
            return (after < out.size() && !apart(out.get(after), time, distance))
                    || (after > 0 && !apart(out.get(after - 1), time, distance));
        }

        long invented() {
            long invented = 0;
            int at = 0;
            for (long time : out) {
                while (at < in.size() && in.get(at) < time) {
                    at++;
                }
                if (at < in.size() && in.get(at) == time) {
                    at++;
                } else {
                    invented++;
                }
            }
            return invented;
        }

        /** Whether two times are more than {@code distance} apart. Both may need all 64 bits. */
        private static boolean apart(long one, long other, long distance) {
            long difference = Math.max(one, other) - Math.min(one, other);
            return Long.compareUnsigned(difference, distance) > 0;
        }
    }

    /**
     * What came of a deduplication.
     *
     * @param in records that went in
     * @param out records that came out
     * @param passedTwice records that came out within the window of another one with their id
     * @param lost first occurrences that did not come out, nor anything else with their id
     * @param mayBeLost how many may be lost by the probability asked for: a correct deduplication
     *     exceeds it once in 10^9 verdicts
     * @param invented records that came out more often than they went in
     * @param examples ids with a fault and the times of their records, a few
     */
    @Experimental
    public record Verdict(
            long in,
            long out,
            long passedTwice,
            long lost,
            long mayBeLost,
            long invented,
            List<String> examples) {

        public Verdict {
            examples = List.copyOf(examples);
        }

        /** Whether every promise was kept. */
        public boolean holds() {
            return passedTwice == 0 && lost <= mayBeLost && invented == 0;
        }

        /**
         * Does nothing if every promise was kept.
         *
         * @throws AssertionError if not; it names what was broken, with examples
         */
        public void require() {
            if (!holds()) {
                throw new AssertionError(this + (examples.isEmpty() ? "" : "; " + examples));
            }
        }

        @Override
        public String toString() {
            return in
                    + " records in, "
                    + out
                    + " out: "
                    + passedTwice
                    + " passed twice, "
                    + lost
                    + " lost (at most "
                    + mayBeLost
                    + " allowed), "
                    + invented
                    + " invented";
        }
    }
}
