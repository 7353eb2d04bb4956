/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * What the union of two checkpoints is.
 *
 * @param version of the JSON form
 * @param a path of the first: all but its seen sets is in the union as it was
 * @param b path of the second: only its seen sets are in the union
 * @param union path of the savepoint; null if none was written
 * @param bytes of it
 * @param seen the seen sets that were united
 * @param refused operators that have no union, and why: nothing was written for them
 * @param kept operators that are as in A
 * @param onlyB operators that are only in B, and so are not in the union
 * @param warnings what the union does not hold, or holds at a price
 */
@Internal
public record UnionReport(
        int version,
        String a,
        String b,
        @Nullable String union,
        long bytes,
        List<SeenSet> seen,
        List<String> refused,
        List<String> kept,
        List<String> onlyB,
        List<String> warnings) {

    static final int VERSION = 1;

    public UnionReport {
        seen = List.copyOf(seen);
        refused = List.copyOf(refused);
        kept = List.copyOf(kept);
        onlyB = List.copyOf(onlyB);
        warnings = List.copyOf(warnings);
    }

    /**
     * A seen set.
     *
     * @param operator its uid, name or hash
     * @param state name of the membership state; null if it is the operator's own filter
     * @param keyGroups in which B has ids
     * @param idsA ids in A, as far as a filter can tell
     * @param idsB ids in B; those that both have are counted in both
     * @param bytesA bytes of A's filters or level files
     * @param bytes of those in the union
     * @param falsePositiveProbability asked for in A
     * @param predictedFpp in the union, of the key group or subtask where it is greatest
     */
    public record SeenSet(
            String operator,
            @Nullable String state,
            int keyGroups,
            long idsA,
            long idsB,
            long bytesA,
            long bytes,
            double falsePositiveProbability,
            double predictedFpp) {}
}
