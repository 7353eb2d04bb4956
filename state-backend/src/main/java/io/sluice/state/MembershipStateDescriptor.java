/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.util.OptionalDouble;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;

/**
 * Describes a Boolean value state that only says "seen": on the {@link CascadeStateBackend} it is
 * kept in a filter, whatever its name, with its own false-positive probability; on any other
 * backend it is an ordinary, exact value state.
 *
 * <pre>{@code
 * ValueState<Boolean> seen =
 *         getRuntimeContext().getState(new MembershipStateDescriptor("seen", 1e-6));
 * if (seen.value() == null) {
 *     seen.update(true);
 *     out.collect(record);
 * }
 * }</pre>
 */
@PublicEvolving
public class MembershipStateDescriptor extends ValueStateDescriptor<Boolean> {

    /** NaN: the backend's option decides. */
    private final double falsePositiveProbability;

    /** A state with the backend's configured probability. */
    public MembershipStateDescriptor(String name) {
        super(name, BooleanSerializer.INSTANCE);
        this.falsePositiveProbability = Double.NaN;
    }

    /**
     * A state with its own probability.
     *
     * @param falsePositiveProbability that a key that was never marked is reported as marked;
     *     between 0 and 0.5, both excluded
     */
    public MembershipStateDescriptor(String name, double falsePositiveProbability) {
        super(name, BooleanSerializer.INSTANCE);
        if (!(falsePositiveProbability > 0 && falsePositiveProbability < 0.5)) {
            throw new IllegalArgumentException(
                    "falsePositiveProbability of state '"
                            + name
                            + "' must be between 0 and 0.5, got "
                            + falsePositiveProbability);
        }
        this.falsePositiveProbability = falsePositiveProbability;
    }

    /**
     * A state whose probability is expressed as its cost: on average at most {@code dropsPerDay} of
     * {@code newKeysPerDay} keys that were never marked are reported as marked. The probability is
     * the ratio of the two, but always less than 0.5.
     *
     * @param dropsPerDay in all subtasks together; more than 0, possibly less than 1
     * @param newKeysPerDay how many new keys come in a day, in all subtasks together; at least 1.
     *     If more come, proportionally more are reported
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public static MembershipStateDescriptor withMaxFalseDropsPerDay(
            String name, double dropsPerDay, long newKeysPerDay) {
        if (!FalseDrops.isValid(dropsPerDay)) {
            throw new IllegalArgumentException(
                    "dropsPerDay of state '"
                            + name
                            + "' must be more than 0 and finite, got "
                            + dropsPerDay);
        }
        if (newKeysPerDay < 1) {
            throw new IllegalArgumentException(
                    "newKeysPerDay of state '"
                            + name
                            + "' must be at least 1, got "
                            + newKeysPerDay);
        }
        return new MembershipStateDescriptor(
                name, FalseDrops.probability(dropsPerDay, newKeysPerDay));
    }

    /** The state's own probability; empty if the backend's option decides. */
    public OptionalDouble falsePositiveProbability() {
        return Double.isNaN(falsePositiveProbability)
                ? OptionalDouble.empty()
                : OptionalDouble.of(falsePositiveProbability);
    }
}
