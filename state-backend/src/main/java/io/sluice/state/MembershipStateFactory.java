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

    /** The value state of this name, if it was made and is asked in batches. */
    @Nullable
    @SuppressWarnings("unchecked") // the keys are those of the backend
    BatchMembershipState<K> batch(String name) {
        return made.get(name) instanceof BatchMembershipState<?> batch
                ? (BatchMembershipState<K>) batch
                : null;
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
            state.update(namespaceSerializer, descriptor);
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
        String namespaceScheme =
                namespaces == null ? "" : namespaces.namespaceScheme(namespaceSerializer);
        TypeSerializer<?> mapKeys = Mark.mapKeys(descriptor.getSerializer());
        MembershipStore store =
                states.open(
                        new MembershipInfo(
                                descriptor.getName(),
                                selection.falsePositiveProbability(descriptor),
                                hasTimeToLive
                                        ? descriptor.getTtlConfig().getTimeToLive().toMillis()
                                        : 0,
                                mapKeys == null
                                        ? namespaceScheme
                                        : KeyFingerprinter.mapScheme(namespaceScheme, mapKeys)));
        Mark<?> mark = Mark.of(descriptor.getSerializer());
        if (mapKeys != null) {
            return mapState(
                    mark,
                    mapKeys,
                    hasTimeToLive ? clock : null,
                    store,
                    namespaceSerializer,
                    namespaces,
                    descriptor);
        }
        return hasTimeToLive
                ? timedState(mark, store, namespaceSerializer, namespaces, descriptor)
                : plainState(mark, store, namespaceSerializer, namespaces, descriptor);
    }

    @SuppressWarnings("unchecked") // mark and keys are those of the descriptor's serializer
    private <N, M, V> MembershipMapState<K, N, M, V> mapState(
            Mark<V> mark,
            TypeSerializer<M> mapKeys,
            @Nullable TtlTimeProvider clockOfState,
            MembershipStore store,
            TypeSerializer<N> namespaceSerializer,
            @Nullable KeyFingerprinter<N> namespaces,
            StateDescriptor<?, ?> descriptor) {
        return new MembershipMapState<>(
                mark,
                KeyFingerprinter.of(mapKeys.duplicate()),
                store,
                key,
                keySerializer,
                namespaceSerializer,
                namespaces,
                (StateDescriptor<?, Map<M, V>>) descriptor,
                clockOfState);
    }

    @SuppressWarnings("unchecked") // the mark is that of the descriptor's serializer
    private <N, V> TtlMembershipValueState<K, N, V> timedState(
            Mark<?> mark,
            MembershipStore store,
            TypeSerializer<N> namespaceSerializer,
            @Nullable KeyFingerprinter<N> namespaces,
            StateDescriptor<?, ?> descriptor) {
        return new TtlMembershipValueState<>(
                (Mark<TtlValue<V>>) mark,
                store,
                key,
                clock,
                keySerializer,
                namespaceSerializer,
                namespaces,
                (StateDescriptor<?, TtlValue<V>>) descriptor);
    }

    @SuppressWarnings("unchecked") // the mark is that of the descriptor's serializer
    private <N, V> MembershipValueState<K, N, V> plainState(
            Mark<V> mark,
            MembershipStore store,
            TypeSerializer<N> namespaceSerializer,
            @Nullable KeyFingerprinter<N> namespaces,
            StateDescriptor<?, ?> descriptor) {
        return new MembershipValueState<>(
                mark,
                store,
                key,
                keySerializer,
                namespaceSerializer,
                namespaces,
                (StateDescriptor<?, V>) descriptor);
    }
}
