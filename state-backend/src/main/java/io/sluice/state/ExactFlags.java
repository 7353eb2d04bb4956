/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.InternalKeyContext;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalMapState;
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

    private final AbstractKeyedStateBackend<K> from;
    private final AbstractKeyedStateBackend<K> keys;
    private final int buckets;

    /**
     * @param from has the flags
     * @param keys has the key for which filters are asked; may be the same
     * @param buckets of a time to live
     */
    ExactFlags(AbstractKeyedStateBackend<K> from, AbstractKeyedStateBackend<K> keys, int buckets) {
        this.from = from;
        this.keys = keys;
        this.buckets = buckets;
    }

    /**
     * Moves what there is of a state. Afterwards the current key is the same as before, or none if
     * none was set.
     *
     * @throws IllegalStateException if a flag is {@code false}, or a value of a map null, which a
     *     filter cannot hold
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
        InternalKeyContext<K> context = keys.getKeyContext();
        K key = context.getCurrentKey();
        int keyGroup = context.getCurrentKeyGroupIndex();
        InternalKvState<K, N, V> exact =
                from.createOrUpdateInternalState(
                        namespaceSerializer,
                        descriptor,
                        StateSnapshotTransformFactory.noTransform());
        long moved = 0;
        try {
            for (Expiry ages = Expiry.of(filter, descriptor, buckets);
                    ages != null;
                    ages = ages.younger()) {
                moved += move(exact, filter, ages);
            }
        } finally {
            if (key == null) {
                context.setCurrentKey(null);
            } else {
                keys.setCurrentKeyAndKeyGroup(key, keyGroup);
            }
        }
        LOG.info(
                "State '{}' was exact in the checkpoint; {} of its marks are in the filter now.",
                name,
                moved);
    }

    /** Moves the flags of some ages, and returns how many there were. */
    private <N, V> long move(
            InternalKvState<K, N, V> exact, AbstractMembershipState<K, N, V> filter, Expiry ages)
            throws Exception {
        long moved = 0;
        try (Stream<Tuple2<K, N>> entries = from.getKeysAndNamespaces(filter.name())) {
            // The hashmap backend's entries may not be removed under its iterator.
            Iterator<Tuple2<K, N>> entry =
                    from instanceof HeapKeyedStateBackend
                            ? entries.toList().iterator()
                            : entries.iterator();
            while (entry.hasNext()) {
                Tuple2<K, N> next = entry.next();
                keys.setCurrentKey(next.f0);
                from.setCurrentKeyAndKeyGroup(next.f0, keys.getCurrentKeyGroupIndex());
                exact.setCurrentNamespace(next.f1);
                filter.setCurrentNamespace(next.f1);
                moved +=
                        filter instanceof MembershipMapState<?, ?, ?, ?>
                                ? moveMap(asMap(exact), asMap(filter), ages)
                                : moveValue(
                                        (InternalValueState<K, N, V>) exact,
                                        (AbstractMembershipValueState<K, N, V>) filter,
                                        ages);
            }
        }
        return moved;
    }

    @SuppressWarnings("unchecked") // the state of the same descriptor
    private static <K, N> InternalMapState<K, N, Object, Object> asMap(
            InternalKvState<K, N, ?> exact) {
        return (InternalMapState<K, N, Object, Object>) exact;
    }

    @SuppressWarnings("unchecked") // only called for one
    private static <K, N> MembershipMapState<K, N, Object, Object> asMap(
            AbstractMembershipState<K, N, ?> filter) {
        return (MembershipMapState<K, N, Object, Object>) filter;
    }

    /** Moves the flag of the current key and namespace. */
    private static <N, V> long moveValue(
            InternalValueState<?, N, V> exact,
            AbstractMembershipValueState<?, N, V> filter,
            Expiry ages)
            throws IOException {
        V value = exact.value();
        if (value != null && !filter.isSeen(value)) {
            throw cannotHold("the flag 'false' for some key", filter, CascadeBackendOptions.STATES);
        }
        if (value == null || ages.isLater(value)) {
            return 0;
        }
        boolean isExpired = ages.isExpired(value);
        if (!isExpired) {
            filter.markAt(filter.hash(), ages.timeOf(value));
        }
        exact.clear();
        return isExpired ? 0 : 1;
    }

    /** Moves the entries of the current key and namespace. */
    private static <N, M, V> long moveMap(
            InternalMapState<?, N, M, V> exact, MembershipMapState<?, N, M, V> filter, Expiry ages)
            throws Exception {
        long moved = 0;
        Iterator<Map.Entry<M, V>> entries = exact.iterator();
        while (entries.hasNext()) {
            Map.Entry<M, V> entry = entries.next();
            V value = entry.getValue();
            if (!filter.isSeen(value)) {
                throw cannotHold(filter.otherValues(), filter, CascadeBackendOptions.MAP_STATES);
            }
            if (ages.isLater(value)) {
                continue;
            }
            if (!ages.isExpired(value)) {
                filter.markAt(filter.hash(entry.getKey()), ages.timeOf(value));
                moved++;
            }
            entries.remove();
        }
        if (exact.isEmpty()) {
            // The hashmap backend keeps an empty map.
            exact.clear();
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
            if (!filter.hasTimeToLive()) {
                return new Expiry(0, 0, 1, Long.MAX_VALUE);
            }
            long now = filter.now();
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

        /** Whether a value belongs to a later pass; one without a time does not. */
        boolean isLater(Object value) {
            return value instanceof TtlValue<?> withTime
                    && withTime.getLastAccessTimestamp() >= end;
        }

        /** The same condition as Flink's; a value without a time lasts. */
        boolean isExpired(Object value) {
            return value instanceof TtlValue<?> withTime
                    && withTime.getLastAccessTimestamp() <= now - timeToLive;
        }

        /** When a value was last accessed, at most now; 0 if it has no time. */
        long timeOf(Object value) {
            return value instanceof TtlValue<?> withTime
                    ? Math.min(now, withTime.getLastAccessTimestamp())
                    : 0;
        }
    }

    private boolean isKnown(String name) {
        try (Stream<Tuple2<K, Object>> entries = from.getKeysAndNamespaces(name)) {
            return entries.findFirst().isPresent();
        }
    }

    private static IllegalStateException cannotHold(
            String what, AbstractMembershipState<?, ?, ?> filter, ConfigOption<?> option) {
        return new IllegalStateException(
                "State '"
                        + filter.name()
                        + "' holds "
                        + what
                        + ", which a filter cannot hold: take its name out of "
                        + option.key()
                        + '.');
    }
}
