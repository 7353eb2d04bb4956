/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.JobSummary;
import java.io.PrintWriter;
import java.util.function.BinaryOperator;
import java.util.function.ToLongBiFunction;

/** What a job prints when it has ended: what it read and wrote, and a warning for each problem. */
final class JobEnd {
    private JobEnd() {}

    /**
     * Prints to {@code out}, and warnings to {@code err}.
     *
     * @param total the value of a metric, by operator and name
     * @param shown the text that a metric shows, by operator and name
     * @param read records
     * @param restarts after failures
     */
    static void print(
            JobSummary outcome,
            ToLongBiFunction<String, String> total,
            BinaryOperator<String> shown,
            long read,
            long restarts,
            PrintWriter out,
            PrintWriter err) {
        out.printf("%,14d records read%n", read);
        for (JobSummary.Count count : outcome.decided()) {
            out.printf("%,14d %s%n", count.of(total), count.text());
        }
        if (outcome.covered() != null) {
            double share = outcome.covered().of(total);
            if (!Double.isNaN(share)) {
                out.printf("%,14.1f %% of the window remembered at the end%n", 100 * share);
            }
        }
        outcome.written()
                .forEach(
                        (uid, topic) ->
                                out.printf(
                                        "%,14d records written to topic '%s' (%s)%n",
                                        total.applyAsLong(JobSummary.writer(uid), "numRecordsIn"),
                                        topic,
                                        uid));
        if (restarts > 0) {
            out.printf(
                    "The job restarted %d times; records that it read again are counted again"
                            + " here.%n",
                    restarts);
        }
        out.flush();
        for (String warning : JobSummary.warnings(outcome.troubles(), total, shown)) {
            err.println("sluice: warning: " + warning);
        }
        err.flush();
    }
}
