/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

/**
 * One named number of a benchmark.
 *
 * @param name dotted and stable: scripts look it up
 * @param value the median if there were several runs
 * @param unit such as {@code ratio}, {@code Mops/s}, {@code records/s}
 * @param peer what it was measured against in the same run, empty if nothing
 * @param goal the goal as text, such as {@code >= 0.35}, empty if there is none
 * @param note how it was measured, and the spread
 */
public record Figure(
        String name, double value, String unit, String peer, String goal, String note) {
    public Figure {
        if (name.isEmpty() || unit.isEmpty()) {
            throw new IllegalArgumentException("figure '" + name + "' has no name or unit");
        }
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(
                    "figure " + name + " is " + value + ": not a number");
        }
    }

    /**
     * Whether the value meets the goal; true without one. Goals read {@code >= x} or {@code <= x}.
     */
    public boolean meetsGoal() {
        if (goal.isEmpty()) {
            return true;
        }
        double bound = Double.parseDouble(goal.substring(2).trim());
        if (goal.startsWith(">=")) {
            return value >= bound;
        }
        if (goal.startsWith("<=")) {
            return value <= bound;
        }
        throw new IllegalArgumentException(
                "goal '" + goal + "' of " + name + ": write '>= x' or '<= x'");
    }
}
