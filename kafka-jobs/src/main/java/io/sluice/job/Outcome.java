/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.util.List;
import java.util.Map;

/**
 * What became of the records of a job, in its metrics: what it wrote, and what did not go as it
 * should.
 *
 * @param written the topics, by the uid of what writes them
 * @param troubles in the order of the records' way through the job
 */
public record Outcome(Map<String, String> written, List<Trouble> troubles) {

    /** The operator that writes for this uid, as metrics know it. */
    public static String writer(String uid) {
        return "write-" + uid + ": Writer";
    }

    /**
     * Something that happened to records, and is said if it happened to any.
     *
     * @param operator whole name of the one that counts
     * @param metric of it
     * @param text what happened, why, and what helps; behind the number of records
     */
    public record Trouble(String operator, String metric, String text) {}
}
