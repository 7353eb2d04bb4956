/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * Judges a deduplication by what passed and what did not, whatever the order of arrival: no two
 * records of one id that passed are at most a window apart by their own times, and each that was
 * dropped is at most a window and a tolerance away from one of its id that passed.
 */
public final class Criterion {

    private final long window;
    private final long tolerance;

    private Criterion(long window, long tolerance) {
        if (window < 0 || tolerance < 0) {
            throw new IllegalArgumentException(window + ", " + tolerance);
        }
        this.window = window;
        this.tolerance = tolerance;
    }

    /** Of a deduplication that holds each id for exactly its window, in milliseconds. */
    public static Criterion exact(long window) {
        return new Criterion(window, 0);
    }

    /** Of one that may hold an id for a slice longer, an eighth of the window rounded up. */
    public static Criterion ofFilters(long window) {
        return withTolerance(window, (window + 7) / 8);
    }

    /** Of one that may hold an id for that many milliseconds longer. */
    public static Criterion withTolerance(long window, long tolerance) {
        return new Criterion(window, tolerance);
    }

    /**
     * Finds what breaks the rule. O(n log n).
     *
     * @param input in any order
     * @param passed the numbers of those that passed
     */
    public Verdict judge(List<Occurrence> input, BitSet passed) {
        List<Occurrence> sorted = new ArrayList<>(input);
        sorted.sort(
                Comparator.comparingLong(Occurrence::id)
                        .thenComparingLong(Occurrence::time)
                        .thenComparingInt(Occurrence::number));
        List<Twice> twice = new ArrayList<>();
        BitSet near = new BitSet();
        Occurrence before = null;
        for (Occurrence record : sorted) {
            if (passed.get(record.number())) {
                if (isWithin(before, record, 0)) {
                    twice.add(new Twice(before, record));
                }
                before = record;
            } else if (isWithin(before, record, tolerance)) {
                near.set(record.number());
            }
        }
        Occurrence after = null;
        List<Occurrence> lost = new ArrayList<>();
        for (int i = sorted.size() - 1; i >= 0; i--) {
            Occurrence record = sorted.get(i);
            if (passed.get(record.number())) {
                after = record;
            } else if (!near.get(record.number()) && !isWithin(record, after, tolerance)) {
                lost.add(record);
            }
        }
        return new Verdict(twice, lost);
    }

    /** Of two records in the order of their times. Their difference may need all 64 bits. */
    private boolean isWithin(Occurrence one, Occurrence next, long more) {
        return one != null
                && next != null
                && one.id() == next.id()
                && Long.compareUnsigned(next.time() - one.time(), window + more) <= 0;
    }

    /**
     * Two records of one id that passed, at most a window apart: the later one and its neighbor.
     */
    public record Twice(Occurrence earlier, Occurrence later) {}

    /**
     * What broke the rule.
     *
     * @param twice each record that passed at most a window after another of its id, with the
     *     nearest such
     * @param lost each that was dropped though none of its id passed near it
     */
    public record Verdict(List<Twice> twice, List<Occurrence> lost) {

        private static final int EXAMPLES = 5;

        public Verdict {
            twice = List.copyOf(twice);
            lost = List.copyOf(lost);
        }

        public boolean holds() {
            return twice.isEmpty() && lost.isEmpty();
        }

        /** Does nothing if the rule holds. */
        public void require() {
            require(0);
        }

        /**
         * Does nothing if none passed twice and no more are lost than that.
         *
         * @throws AssertionError if not, with examples
         */
        public void require(long mayBeLost) {
            if (!twice.isEmpty() || lost.size() > mayBeLost) {
                throw new AssertionError(this.toString());
            }
        }

        @Override
        public String toString() {
            return twice.size()
                    + " passed twice "
                    + twice.subList(0, Math.min(EXAMPLES, twice.size()))
                    + ", "
                    + lost.size()
                    + " lost "
                    + lost.subList(0, Math.min(EXAMPLES, lost.size()));
        }
    }
}
