/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import java.io.UncheckedIOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * Base of value states in a filter: the mark is the key and the namespace.
 *
 * @param <K> type of the keys
 * @param <N> type of the namespaces
 * @param <V> type of the values: that of a {@link Mark}
 */
abstract class AbstractMembershipValueState<K, N, V> extends AbstractMembershipState<K, N, V>
        implements InternalValueState<K, N, V> {

    private final Mark<V> mark;
    @Nullable private V defaultValue;

    AbstractMembershipValueState(
            Mark<V> mark,
            MembershipStore store,
            CurrentKey<K> key,
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            @Nullable KeyFingerprinter<N> namespaces,
            StateDescriptor<?, V> descriptor,
            @Nullable TtlTimeProvider clock) {
        super(
                store,
                key,
                keySerializer,
                namespaceSerializer,
                namespaces,
                descriptor.getSerializer(),
                clock);
        this.mark = mark;
        this.defaultValue = descriptor.getDefaultValue();
    }

    @Override
    final void update(TypeSerializer<N> newNamespaceSerializer, StateDescriptor<?, V> descriptor) {
        super.update(newNamespaceSerializer, descriptor);
        defaultValue = descriptor.getDefaultValue();
    }

    /** The value of a key that the filter has, or has not. */
    @Nullable
    final V value(boolean isMarked) {
        return isMarked ? mark.seen() : defaultValue;
    }

    /** Whether a value, not null, says "seen" rather than "not seen". */
    final boolean isSeen(V value) {
        return mark.isSeen(value);
    }

    /** Refuses {@code update(false)}: a filter knows only seen and not seen. */
    final UnsupportedOperationException cannotHoldFalse() {
        return new UnsupportedOperationException(
                "State '"
                        + name()
                        + "' is kept in a filter, which can hold 'true' or nothing, but not"
                        + " 'false'. Use clear() instead of update(false), or keep the state exact:"
                        + " take its name out of "
                        + CascadeBackendOptions.STATES.key()
                        + ", or describe it with a ValueStateDescriptor.");
    }

    @Override
    public void clear() {
        try {
            tellTime();
            unmark(hash());
        } catch (IOException e) {
            // The interface has no IOException here.
            throw new UncheckedIOException(e);
        }
    }
}
