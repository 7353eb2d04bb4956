/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.state.snapshot.MembershipInfo;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.runtime.state.ttl.TtlValue;

/**
 * Makes the state objects of membership states.
 *
 * @param <K> type of the keys
 */
final class MembershipStateFactory<K> {

    private final MembershipSelection selection;
    private final MembershipStates states;
    private final CurrentKey<K> key;
    private final TypeSerializer<K> keySerializer;
    private final TtlTimeProvider clock;
    private final Map<String, AbstractMembershipState<K, ?, ?>> made = new HashMap<>();

    MembershipStateFactory(
            MembershipSelection selection,
            MembershipStates states,
            CurrentKey<K> key,
            TypeSerializer<K> keySerializer,
            TtlTimeProvider clock) {
        this.selection = selection;
        this.states = states;
        this.key = key;
        this.keySerializer = keySerializer;
        this.clock = clock;
    }

    boolean hasMade(String name) {
        return made.containsKey(name);
    }

    /** The state of a descriptor that {@link MembershipSelection} has selected. */
    @SuppressWarnings(
            "unchecked") // the descriptor says what V is, the first registration what N is
    <N, V> AbstractMembershipState<K, N, V> create(
            TypeSerializer<N> namespaceSerializer, StateDescriptor<?, V> descriptor)
            throws IOException {
        AbstractMembershipState<K, N, V> state =
                (AbstractMembershipState<K, N, V>) made.get(descriptor.getName());
        if (state == null) {
            state =
                    (AbstractMembershipState<K, N, V>)
                            make(namespaceSerializer, (StateDescriptor<?, ?>) descriptor);
            made.put(descriptor.getName(), state);
        } else {
            state.update(
                    namespaceSerializer, descriptor.getSerializer(), descriptor.getDefaultValue());
        }
        return state;
    }

    private <N> AbstractMembershipState<K, N, ?> make(
            TypeSerializer<N> namespaceSerializer, StateDescriptor<?, ?> descriptor)
            throws IOException {
        KeyFingerprinter<N> namespaces =
                namespaceSerializer instanceof VoidNamespaceSerializer
                        ? null
                        : KeyFingerprinter.of(namespaceSerializer.duplicate());
        boolean hasTimeToLive = MembershipSelection.hasTimeToLive(descriptor);
        MembershipStore store =
                states.open(
                        new MembershipInfo(
                                descriptor.getName(),
                                selection.falsePositiveProbability(descriptor),
                                hasTimeToLive
                                        ? descriptor.getTtlConfig().getTimeToLive().toMillis()
                                        : 0,
                                namespaces == null
                                        ? ""
                                        : namespaces.namespaceScheme(namespaceSerializer)));
        return make(
                Mark.of(descriptor.getSerializer()),
                hasTimeToLive,
                store,
                namespaceSerializer,
                namespaces,
                descriptor);
    }

    @SuppressWarnings("unchecked") // the mark is that of the serializer
    private <N, V> AbstractMembershipState<K, N, ?> make(
            Mark<V> mark,
            boolean hasTimeToLive,
            MembershipStore store,
            TypeSerializer<N> namespaceSerializer,
            @Nullable KeyFingerprinter<N> namespaces,
            StateDescriptor<?, ?> descriptor) {
        if (hasTimeToLive) {
            StateDescriptor<?, TtlValue<V>> withTime = (StateDescriptor<?, TtlValue<V>>) descriptor;
            return new TtlMembershipValueState<>(
                    mark,
                    store,
                    key,
                    clock,
                    keySerializer,
                    namespaceSerializer,
                    namespaces,
                    withTime.getSerializer(),
                    withTime.getDefaultValue());
        }
        StateDescriptor<?, V> plain = (StateDescriptor<?, V>) descriptor;
        return new MembershipValueState<>(
                mark,
                store,
                key,
                keySerializer,
                namespaceSerializer,
                namespaces,
                plain.getSerializer(),
                plain.getDefaultValue());
    }
}
