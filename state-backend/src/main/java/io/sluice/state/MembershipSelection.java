/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;

/**
 * Decides which states become approximate. A state is a membership state if it was requested as
 * one, by name or by a {@link MembershipStateDescriptor}, and holds a {@link Mark} as a value state
 * or as the values of a map state. The type alone never suffices: many Boolean states mean
 * something else than "seen". Map states have an option of their own, because a filter answers less
 * of their methods.
 *
 * <p>With a time-to-live, Flink replaces the descriptor with its own before it reaches the backend,
 * so what a descriptor asks for is {@linkplain #remember remembered} when the state is first named.
 */
final class MembershipSelection {

    /** How Flink names the states of distinct values. */
    private static final String DISTINCT = "distinctAcc_";

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

    /**
     * Where a state is kept.
     *
     * @param isMembership whether in a filter
     * @param reason for the log, continues "because"; empty if the state does not hold Booleans
     */
    record Choice(boolean isMembership, Optional<String> reason) {
        static final Choice OTHER = new Choice(false, Optional.empty());

        Choice(boolean isMembership, String reason) {
            this(isMembership, Optional.of(reason));
        }
    }

    /** Where the state of this descriptor, the user's or Flink's, is kept. */
    Choice choose(StateDescriptor<?, ?> descriptor, TypeSerializer<?> namespaces) {
        boolean isMap = descriptor.getType() == StateDescriptor.Type.MAP;
        if (!(isMap || descriptor.getType() == StateDescriptor.Type.VALUE)) {
            return Choice.OTHER;
        }
        Mark<?> mark = Mark.of(descriptor.getSerializer());
        if (mark == null) {
            return Choice.OTHER;
        }
        if (mark.isNumber()) {
            return isMap ? chooseSetOfSql(descriptor, namespaces) : Choice.OTHER;
        }
        return isMap ? chooseMap(descriptor) : chooseValue(descriptor);
    }

    /** The values that {@code COUNT(DISTINCT)} has counted, and nothing else that holds numbers. */
    private Choice chooseSetOfSql(StateDescriptor<?, ?> descriptor, TypeSerializer<?> namespaces) {
        if (!descriptor.getName().startsWith(DISTINCT)) {
            return Choice.OTHER;
        }
        Choice named = chooseMap(descriptor);
        if (named.isMembership() && hasTimeToLive(descriptor)) {
            return new Choice(
                    false,
                    "with a time-to-live the count of a group would expire before the marks of its"
                            + " values");
        }
        return !named.isMembership() || namespaces instanceof VoidNamespaceSerializer
                ? named
                : new Choice(
                        false,
                        "it is cleared at the end of each window, and a filter does not hold the"
                                + " keys of a map");
    }

    private Choice chooseValue(StateDescriptor<?, ?> descriptor) {
        if (descriptor instanceof MembershipStateDescriptor
                || asked.containsKey(descriptor.getName())) {
            return new Choice(true, "a MembershipStateDescriptor describes it");
        }
        return choose(descriptor, settings.states(), CascadeBackendOptions.STATES);
    }

    private Choice chooseMap(StateDescriptor<?, ?> descriptor) {
        Choice named = choose(descriptor, settings.mapStates(), CascadeBackendOptions.MAP_STATES);
        TypeSerializer<?> keys =
                requireNonNull(Mark.mapKeys(descriptor.getSerializer()), "serializer of keys");
        return !named.isMembership() || KeyFingerprinter.haveFixedBytes(keys)
                ? named
                : new Choice(
                        false,
                        "the keys of the map are written by "
                                + keys.getClass().getName()
                                + ", which may write other bytes in a later release of the job");
    }

    private static Choice choose(
            StateDescriptor<?, ?> descriptor, StateNames names, ConfigOption<?> option) {
        return names.contains(descriptor.getName())
                ? new Choice(true, "its name is in " + option.key())
                : new Choice(false, "its name is not in " + option.key());
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
