/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.figure;

/**
 * Counts how many points agree with those of an independent implementation. A measurement agrees
 * within five standard deviations of both sides together: there are some thousand points, of which
 * four deviations would refuse one by chance in most runs. Not thread-safe.
 */
public final class Agreement {

    /** Standard deviations that two measurements may differ by. */
    public static final double SIGMAS = 5;

    /** Of the four digits that the tables have. */
    private static final double ROUNDING = 6e-4;

    private int points;
    private int bad;
    private double worst;
    private String at = "";

    /** A measurement whose difference has this standard deviation. */
    public void near(String point, double ours, double theirs, double deviation) {
        count(point, Math.abs(ours - theirs) / Math.max(deviation, 1e-300), ours, theirs);
    }

    /** A number of errors that may only be smaller. */
    public void atMost(String point, double ours, double theirs, double deviation) {
        count(point, Math.max(0, ours - theirs) / Math.max(deviation, 1e-300), ours, theirs);
    }

    /** Two shares, measured with {@code ourTrials} and {@code theirTrials} independent trials. */
    public void share(
            String point, double ours, double ourTrials, double theirs, double theirTrials) {
        double p = (ours * ourTrials + theirs * theirTrials) / (ourTrials + theirTrials);
        double variance = p * (1 - p) * (1 / ourTrials + 1 / theirTrials);
        // With few expected events the distribution is skewed: three are always allowed.
        double distance = Math.abs(ours - theirs) - 3 / Math.min(ourTrials, theirTrials);
        count(point, Math.max(0, distance) / Math.sqrt(Math.max(variance, 1e-300)), ours, theirs);
    }

    /** A formula, up to the rounding of the tables. */
    public void formula(String point, double ours, double theirs) {
        formula(point, ours, ours, theirs);
    }

    /** A formula whose input may be read in two ways: anything between both results agrees. */
    public void formula(String point, double low, double high, double theirs) {
        double distance = Math.max(0, Math.max(low - theirs, theirs - high));
        double slack = ROUNDING * Math.abs(theirs) + 1e-15;
        count(point, SIGMAS * distance / slack, low, theirs);
    }

    private void count(String point, double score, double ours, double theirs) {
        if (Double.isNaN(theirs)) {
            return; // the other side has no such point
        }
        points++;
        bad += score > SIGMAS ? 1 : 0;
        if (score > worst || points == 1) {
            worst = score;
            at = point + ": " + Table.format(ours) + " and " + Table.format(theirs);
        }
    }

    /** Adds the check to the table, unless there is nothing to compare with. */
    public void addTo(Table table, Run run) {
        if (points == 0 && !run.hasReference()) {
            return;
        }
        table.check(
                "independent implementation",
                points > 0 && bad == 0,
                "%d of %d points agree; the farthest apart, by %.1f of the 5 deviations allowed, is"
                        + " %s",
                points - bad,
                points,
                worst,
                at);
    }
}
