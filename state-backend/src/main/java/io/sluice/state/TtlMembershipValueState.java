/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.runtime.state.ttl.TtlValue;

/**
 * A value state with time-to-live in a filter of time buckets. Flink wraps such a state, compares
 * the time of last access in each value with the wall clock, and clears what has expired by it. The
 * time returned here never expires, so only the filter decides. A key is visible at least for the
 * time-to-live after it was last marked, and at most 1 / buckets longer.
 *
 * <p>Every update marks the key again, in the bucket of the present time.
 */
final class TtlMembershipValueState<K, N, V> extends AbstractMembershipValueState<K, N, TtlValue<V>>
        implements BatchMembershipState<K> {

    /** Whether a key that is asked for in a batch is marked again; alone, Flink does it. */
    private final boolean renews;

    TtlMembershipValueState(
            Mark<TtlValue<V>> mark,
            MembershipStore store,
            CurrentKey<K> key,
            TtlTimeProvider clock,
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            @Nullable KeyFingerprinter<N> namespaces,
            StateDescriptor<?, TtlValue<V>> descriptor) {
        super(mark, store, key, keySerializer, namespaceSerializer, namespaces, descriptor, clock);
        renews =
                descriptor.getTtlConfig().getUpdateType()
                        == StateTtlConfig.UpdateType.OnReadAndWrite;
    }

    @Override
    public TtlValue<V> value() throws IOException {
        tellTime();
        return value(isMarked(hash()));
    }

    @Override
    public void update(@Nullable TtlValue<V> value) throws IOException {
        if (value == null || value.getUserValue() == null) {
            clear();
        } else if (!isSeen(value)) {
            throw cannotHoldFalse();
        } else {
            tellTime();
            mark(hash());
        }
    }

    @Override
    public void advance() throws IOException {
        tellTime();
    }

    @Override
    public long hash(K anyKey) throws IOException {
        return hashOf(anyKey);
    }

    @Override
    public void markAll(int[] keyGroups, long[] hashes, int count, boolean[] absent)
            throws IOException {
        tellTime();
        addAll(keyGroups, hashes, count, absent);
        for (int i = 0; renews && i < count; i++) {
            if (!absent[i]) {
                mark(keyGroups[i], hashes[i]);
            }
        }
    }
}
