/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.List;
import org.apache.flink.annotation.Internal;

/**
 * Whether the states of a job in more than two clusters agree.
 *
 * @param agree whether all pairs do
 * @param pairs each cluster with each one that was named after it
 */
@Internal
public record PairsAgreement(int version, boolean agree, List<StateAgreement> pairs) {

    public PairsAgreement {
        pairs = List.copyOf(pairs);
    }

    /** Returns what the pairs say together. */
    public static PairsAgreement of(List<StateAgreement> pairs) {
        return new PairsAgreement(
                StateAgreement.VERSION, pairs.stream().allMatch(StateAgreement::agree), pairs);
    }
}
