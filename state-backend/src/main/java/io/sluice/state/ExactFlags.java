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
 * Flags that the delegate has restored exactly for a state that is now a membership state: the job
 * ran on another backend before (a canonical savepoint), or the state was selected since. They are
 * moved from the delegate into the filter.
 *
 * @param <K> type of the keys
 */
final class ExactFlags<K> {

    private static final Logger LOG = LoggerFactory.getLogger(ExactFlags.class);

    private final AbstractKeyedStateBackend<K> delegate;
    private final int buckets;

    /**
     * @param buckets of a time to live
     */
    ExactFlags(AbstractKeyedStateBackend<K> delegate, int buckets) {
        this.delegate = delegate;
        this.buckets = buckets;
    }

    /**
     * Moves what the delegate has of a state. Afterwards the current key is the same as before, or
     * none if none was set.
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
        try {
            for (Expiry ages = Expiry.of(filter, descriptor, buckets);
                    ages != null;
                    ages = ages.younger()) {
                moved += move(exact, filter, name, ages);
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

    /** Moves the flags of some ages, and returns how many there were. */
    private <N, V> long move(
            InternalValueState<K, N, V> exact,
            AbstractMembershipState<K, N, V> filter,
            String name,
            Expiry ages)
            throws Exception {
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
                V value = checked(exact.value(), filter, name);
                if (!(value instanceof TtlValue<?> withTime)) {
                    filter.setCurrentNamespace(next.f1);
                    filter.update(value);
                } else if (ages.isLater(withTime.getLastAccessTimestamp())) {
                    continue;
                } else if (!ages.isExpired(withTime.getLastAccessTimestamp())) {
                    filter.setCurrentNamespace(next.f1);
                    filter.markAt(Math.min(ages.now(), withTime.getLastAccessTimestamp()));
                } else {
                    moved--;
                }
                exact.clear();
                moved++;
            }
        }
        return moved;
    }

    /**
     * Flags with a time to live go into the filter oldest first, because its time only grows. Each
     * pass over what is still in the delegate moves the flags of one time bucket.
     *
     * @param now the present time
     * @param timeToLive of the flags
     * @param bucket length of a time bucket
     * @param end of the pass, exclusive
     */
    private record Expiry(long now, long timeToLive, long bucket, long end) {

        static Expiry of(
                AbstractMembershipState<?, ?, ?> filter,
                StateDescriptor<?, ?> descriptor,
                int buckets) {
            if (!(filter instanceof TtlMembershipValueState<?, ?, ?> withTime)) {
                return new Expiry(0, 0, 1, Long.MAX_VALUE);
            }
            long now = withTime.now();
            long ttl = descriptor.getTtlConfig().getTimeToLive().toMillis();
            long bucket = Math.max(1, ttl / buckets);
            return new Expiry(now, ttl, bucket, endOf(now - ttl, bucket));
        }

        /** The end of the bucket of {@code time}, the same as in the filter. */
        private static long endOf(long time, long bucket) {
            return (Math.floorDiv(time, bucket) + 1) * bucket;
        }

        /** Null after the last pass, which also takes flags from the future. */
        Expiry younger() {
            if (end == Long.MAX_VALUE) {
                return null;
            }
            long next = end + bucket;
            return new Expiry(now, timeToLive, bucket, next > now ? Long.MAX_VALUE : next);
        }

        boolean isLater(long time) {
            return time >= end;
        }

        /** The same condition as Flink's. */
        boolean isExpired(long time) {
            return time <= now - timeToLive;
        }
    }

    private boolean isKnown(String name) {
        try (Stream<Tuple2<K, Object>> entries = delegate.getKeysAndNamespaces(name)) {
            return entries.findFirst().isPresent();
        }
    }

    private static <V> V checked(V value, AbstractMembershipState<?, ?, V> filter, String name) {
        if (value != null && !filter.isSeen(value)) {
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
