/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.util.Iterator;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.InternalKeyContext;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flags that the delegate has restored exactly, for a state that is a membership state now: the job
 * ran on another backend before (a canonical savepoint), or the state has been selected since. They
 * are put into the filter and removed from the delegate.
 *
 * @param <K> type of the keys
 */
final class ExactFlags<K> {

    private static final Logger LOG = LoggerFactory.getLogger(ExactFlags.class);

    private final AbstractKeyedStateBackend<K> delegate;

    ExactFlags(AbstractKeyedStateBackend<K> delegate) {
        this.delegate = delegate;
    }

    /**
     * Moves what the delegate has of a state. Afterwards no key is set, or the one that was.
     *
     * @throws IllegalStateException if a flag is {@code false}, which a filter cannot hold
     */
    <N, V> void moveTo(
            AbstractMembershipState<K, N, V> filter,
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<?, V> descriptor)
            throws Exception {
        String name = descriptor.getName();
        if (!isKnown(name)) {
            return;
        }
        InternalKeyContext<K> context = delegate.getKeyContext();
        K key = context.getCurrentKey();
        int keyGroup = context.getCurrentKeyGroupIndex();
        InternalValueState<K, N, V> exact =
                delegate.createOrUpdateInternalState(
                        namespaceSerializer,
                        descriptor,
                        StateSnapshotTransformFactory.noTransform());
        long moved = 0;
        try (Stream<Tuple2<K, N>> entries = delegate.getKeysAndNamespaces(name)) {
            // The hashmap backend's entries may not be removed under its iterator.
            Iterator<Tuple2<K, N>> entry =
                    delegate instanceof HeapKeyedStateBackend
                            ? entries.toList().iterator()
                            : entries.iterator();
            while (entry.hasNext()) {
                Tuple2<K, N> next = entry.next();
                delegate.setCurrentKey(next.f0);
                exact.setCurrentNamespace(next.f1);
                filter.setCurrentNamespace(next.f1);
                filter.update(checked(exact.value(), name));
                exact.clear();
                moved++;
            }
        } finally {
            if (key == null) {
                context.setCurrentKey(null);
            } else {
                delegate.setCurrentKeyAndKeyGroup(key, keyGroup);
            }
        }
        LOG.info(
                "State '{}' was exact in the checkpoint; {} of its keys are in the filter now.",
                name,
                moved);
    }

    private boolean isKnown(String name) {
        try (Stream<Tuple2<K, Object>> entries = delegate.getKeysAndNamespaces(name)) {
            return entries.findFirst().isPresent();
        }
    }

    private static <V> V checked(V value, String name) {
        Object flag = value instanceof TtlValue<?> withTime ? withTime.getUserValue() : value;
        if (Boolean.FALSE.equals(flag)) {
            throw new IllegalStateException(
                    "State '"
                            + name
                            + "' holds the flag 'false' for some key, which a filter cannot hold:"
                            + " take its name out of "
                            + CascadeBackendOptions.STATES.key()
                            + '.');
        }
        return value;
    }
}
