/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializerSnapshot;

/**
 * Decides which states become approximate. A state is a membership state if it was requested as
 * one, by name or by a {@link MembershipStateDescriptor}, and is a value state of a Boolean. The
 * type alone never suffices: many Boolean states mean something else than "seen".
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
                && isBoolean(descriptor.getSerializer())
                && (descriptor instanceof MembershipStateDescriptor
                        || asked.containsKey(name)
                        || settings.states().contains(name));
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
        return unwrapped(descriptor.getSerializer()) instanceof TtlSerializer;
    }

    private static boolean isBoolean(TypeSerializer<?> serializer) {
        TypeSerializer<?> plain = unwrapped(serializer);
        if (!(plain instanceof TtlSerializer)) {
            return plain instanceof BooleanSerializer;
        }
        // The serializer does not tell what it wraps, but its snapshot does.
        TypeSerializerSnapshot<?> snapshot = plain.snapshotConfiguration();
        return snapshot instanceof TtlSerializerSnapshot<?> ttl
                && ttl.getValueSerializerSnapshot()
                        instanceof BooleanSerializer.BooleanSerializerSnapshot;
    }

    private static TypeSerializer<?> unwrapped(TypeSerializer<?> serializer) {
        return serializer instanceof TtlAwareSerializer<?, ?> aware
                ? aware.getOriginalTypeSerializer()
                : serializer;
    }
}
