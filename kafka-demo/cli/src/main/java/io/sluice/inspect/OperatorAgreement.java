/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * Whether an operator holds the same in two checkpoints.
 *
 * @param operator its uid, name or hash
 * @param refused why it cannot be compared, with both values; null if it was
 * @param otherOptions options that differ and change nothing of what can be compared
 * @param totals of counters; null if it has none
 * @param machines states of its machines or flows; null if it has none
 * @param seen its seen set; null if it has none
 * @param flags its membership states in the cascade state backend
 * @param states other keyed states, as far as they were asked for
 */
@Internal
public record OperatorAgreement(
        String operator,
        @Nullable String refused,
        List<String> otherOptions,
        @Nullable ValuesAgreement<Long> totals,
        @Nullable ValuesAgreement<String> machines,
        @Nullable SeenAgreement seen,
        List<FlagsAgreement> flags,
        List<StateValuesAgreement> states) {

    public OperatorAgreement {
        otherOptions = List.copyOf(otherOptions);
        flags = List.copyOf(flags);
        states = List.copyOf(states);
    }

    /** An operator that cannot be read, since this was thrown. */
    static OperatorAgreement unreadable(String operator, Exception thrown) {
        return refused(operator, Problem.text(thrown));
    }

    static OperatorAgreement refused(String operator, String why) {
        return new OperatorAgreement(
                operator, why, List.of(), null, null, null, List.of(), List.of());
    }

    /** The same, with membership states. */
    OperatorAgreement with(List<FlagsAgreement> compared) {
        return new OperatorAgreement(
                operator, refused, otherOptions, totals, machines, seen, compared, states);
    }

    /** An operator that has no state of Sluice. */
    static OperatorAgreement withoutOurs(String operator) {
        return new OperatorAgreement(
                operator, null, List.of(), null, null, null, List.of(), List.of());
    }

    /** The same, with other keyed states. */
    OperatorAgreement withStates(List<StateValuesAgreement> compared) {
        return new OperatorAgreement(
                operator, refused, otherOptions, totals, machines, seen, flags, compared);
    }

    /** Whether all of it was compared and is equal; options may differ. */
    public boolean agrees() {
        return refused == null
                && (totals == null || totals.agrees())
                && (machines == null || machines.agrees())
                && (seen == null || seen.agrees())
                && flags.stream().allMatch(FlagsAgreement::agrees)
                && states.stream().allMatch(StateValuesAgreement::agrees);
    }
}
