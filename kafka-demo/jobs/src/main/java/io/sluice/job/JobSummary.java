/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.ToLongBiFunction;
import javax.annotation.Nullable;

/**
 * What became of a job's records, according to its metrics: what it wrote, and what went wrong.
 *
 * @param decided how many records were decided in which way; empty if the job does not decide
 * @param covered of which window it is told how much was remembered; null if there is none
 * @param written the topics, by the uid of the operator that writes them
 * @param troubles in the order of the records' way through the job
 */
public record JobSummary(
        List<Count> decided,
        @Nullable Covered covered,
        Map<String, String> written,
        List<Trouble> troubles) {

    /** The outcome of a job that decides nothing about single records. */
    public JobSummary(Map<String, String> written, List<Trouble> troubles) {
        this(List.of(), null, written, troubles);
    }

    /** The name in metrics of the operator that writes for this uid. */
    public static String writer(String uid) {
        return "write-" + uid + ": Writer";
    }

    /**
     * What is to be told of {@code troubles}: those that happened, each after its number.
     *
     * @param total of a metric of an operator
     * @param example what a metric of an operator shows; empty if it shows nothing
     */
    public static List<String> warnings(
            List<Trouble> troubles,
            ToLongBiFunction<String, String> total,
            BinaryOperator<String> example) {
        List<String> warnings = new ArrayList<>();
        for (Trouble trouble : troubles) {
            long count = total.applyAsLong(trouble.operator(), trouble.metric());
            if (count > 0) {
                String first =
                        trouble.firstMetric() == null
                                ? ""
                                : example.apply(trouble.operator(), trouble.firstMetric());
                warnings.add(
                        String.format(Locale.ROOT, "%,d %s", count, trouble.text())
                                + (first.isEmpty() ? "" : "; the first: " + first));
            }
        }
        return warnings;
    }

    /**
     * A number of records.
     *
     * @param operator full name of the operator that counts them
     * @param metric of that operator
     * @param without metrics of the operator with records that are not meant
     * @param text what they are; follows their number
     */
    public record Count(String operator, String metric, List<String> without, String text) {

        /** Returns the number, according to the {@code total} of a metric of an operator. */
        public long of(ToLongBiFunction<String, String> total) {
            long number = total.applyAsLong(operator, metric);
            for (String each : without) {
                number -= total.applyAsLong(operator, each);
            }
            return Math.max(0, number);
        }
    }

    /**
     * How much of a window was remembered.
     *
     * @param operator full name of the operator that remembers
     * @param covered metric with the milliseconds that it remembers
     * @param window metric with those that it was to remember
     */
    public record Covered(String operator, String covered, String window) {

        /**
         * Returns the share, on average over the subtasks; NaN if none of them has told anything.
         *
         * @param total of a metric of an operator
         */
        public double of(ToLongBiFunction<String, String> total) {
            long wanted = total.applyAsLong(operator, window);
            return wanted == 0
                    ? Double.NaN
                    : (double) total.applyAsLong(operator, covered) / wanted;
        }
    }

    /**
     * Something that happened to records, reported if it happened to any.
     *
     * @param operator full name of the operator that counts it
     * @param metric of that operator
     * @param text what happened, why, and what helps; follows the number of records
     * @param firstMetric of that operator, which shows the first of them; null if none does
     */
    public record Trouble(
            String operator, String metric, String text, @Nullable String firstMetric) {

        /** Something of which no metric shows the first. */
        public Trouble(String operator, String metric, String text) {
            this(operator, metric, text, null);
        }
    }
}
