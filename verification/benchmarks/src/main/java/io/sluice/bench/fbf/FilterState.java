/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

/**
 * The contents of a forgetful Bloom filter: the number of elements in each slice of time between
 * two refreshes, newest first. The future filter holds slice 0, present slices 0 and 1, past filter
 * {@code i} (1 is the newest) slices {@code i} and {@code i + 1}: N past filters reach N + 2
 * slices.
 */
final class FilterState {
    private final int[] slices;

    private FilterState(int[] slices) {
        if (slices.length < 3) {
            throw new IllegalArgumentException(
                    "a filter with one past holds 3 slices, given " + slices.length);
        }
        this.slices = slices;
    }

    static FilterState of(int... slices) {
        return new FilterState(slices);
    }

    /**
     * The state at {@code now} when the last refresh was {@code sinceRefresh} seconds ago.
     *
     * @param past number of past filters
     * @param period seconds between refreshes
     * @param margin seconds by which every slice is widened (narrowed if negative) at both ends;
     *     shows the effect of elements that arrive exactly at a refresh
     */
    static FilterState at(
            ElementTimes arrivals,
            double now,
            double sinceRefresh,
            double period,
            int past,
            double margin) {
        int[] slices = new int[past + 2];
        double end = now;
        double begin = now - sinceRefresh;
        for (int i = 0; i < slices.length; i++) {
            int count = arrivals.before(end + margin) - arrivals.before(begin - margin);
            slices[i] = Math.max(0, count);
            end = begin;
            begin -= period;
        }
        return new FilterState(slices);
    }

    /** Number of slices that the filter covers. */
    int count() {
        return slices.length;
    }

    /** Elements in slice {@code i}; 0 is the newest. */
    int slice(int i) {
        return slices[i];
    }

    int past() {
        return slices.length - 2;
    }

    /** Elements in filter {@code i}: 0 future, 1 present, from 2 on the past ones. */
    int inFilter(int i) {
        return i == 0 ? slices[0] : slices[i - 1] + slices[i];
    }
}
