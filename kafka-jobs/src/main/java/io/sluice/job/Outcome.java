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
 * @param written the topics, by the uid of the operator that writes them
 * @param troubles in the order of the records' way through the job
 */
public record Outcome(Map<String, String> written, List<Trouble> troubles) {

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
