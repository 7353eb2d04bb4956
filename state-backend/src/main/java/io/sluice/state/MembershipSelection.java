/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.apache.flink.api.common.state.StateDescriptor;

/**
 * Decides which states become approximate. A state is a membership state if it was requested as
 * one, by name or by a {@link MembershipStateDescriptor}, and is a value state of a Boolean, or of
 * a row of one Boolean. The type alone never suffices: many Boolean states mean something else than
 * "seen".
 *
 * <p>With a time-to-live, Flink replaces the descriptor with its own before it reaches the backend,
 * so what a descriptor asks for is {@linkplain #remember remembered} when the state is first named.
 */
final class MembershipSelection {

    private final CascadeSettings settings;

    /** What descriptors have asked for, by name of the state. */
    private final Map<String, OptionalDouble> asked = new HashMap<>();

    MembershipSelection(CascadeSettings settings) {
        this.settings = settings;
    }

    /** Remembers a descriptor as the user wrote it. */
    void remember(StateDescriptor<?, ?> descriptor) {
        if (descriptor instanceof MembershipStateDescriptor marker) {
            asked.put(marker.getName(), marker.falsePositiveProbability());
        }
    }

    /** Whether the state of this descriptor, the user's or Flink's, goes into a filter. */
    boolean isMembership(StateDescriptor<?, ?> descriptor) {
        String name = descriptor.getName();
        return descriptor.getType() == StateDescriptor.Type.VALUE
                && (descriptor instanceof MembershipStateDescriptor
                        || asked.containsKey(name)
                        || settings.states().contains(name))
                && Mark.of(descriptor.getSerializer()) != null;
    }

    /** The false-positive probability of a membership state. */
    double falsePositiveProbability(StateDescriptor<?, ?> descriptor) {
        OptionalDouble own =
                descriptor instanceof MembershipStateDescriptor marker
                        ? marker.falsePositiveProbability()
                        : asked.getOrDefault(descriptor.getName(), OptionalDouble.empty());
        return own.orElse(settings.falsePositiveProbability());
    }

    /** How many time buckets a time to live is divided into. */
    int timeToLiveBuckets() {
        return settings.ttlBuckets();
    }

    /** Whether values come with a time of last access. */
    static boolean hasTimeToLive(StateDescriptor<?, ?> descriptor) {
        return Mark.hasTimes(descriptor.getSerializer());
    }
}
