/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.suite.Ledger;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * A membership state and the truth about it: when each key was last marked. Fails at the first mark
 * that the filter denies.
 */
final class OracleValueState<K, N, V> implements InternalValueState<K, N, V> {

    private final String name;
    private final InternalValueState<K, N, V> filter;
    private final InternalValueState<K, N, Long> truth;
    private final TtlTimeProvider clock;
    private final long timeToLive;

    OracleValueState(
            String name,
            InternalValueState<K, N, V> filter,
            InternalValueState<K, N, Long> truth,
            TtlTimeProvider clock,
            long timeToLive) {
        this.name = name;
        this.filter = filter;
        this.truth = truth;
        this.clock = clock;
        this.timeToLive = timeToLive;
    }

    @Override
    @Nullable
    public V value() throws IOException {
        V answer = filter.value();
        Long markedAt = truth.value();
        // Asked after the filter: what expires in between has not been denied.
        boolean isSeen = markedAt != null && clock.currentTimestamp() - markedAt < timeToLive;
        boolean isReported = answer != null && isSeen(answer);
        Ledger.asked(name, isSeen, markedAt != null, isReported);
        return answer;
    }

    /** A default value may say "not seen". */
    @SuppressWarnings("unchecked") // Boolean, a row, or either with a time: the filter knows
    private boolean isSeen(V answer) {
        return !(filter instanceof AbstractMembershipValueState<?, ?, ?>)
                || ((AbstractMembershipValueState<K, N, V>) filter).isSeen(answer);
    }

    @Override
    public void update(@Nullable V value) throws IOException {
        // Before the mark: it lasts at least as long as this says.
        long now = clock.currentTimestamp();
        filter.update(value);
        if (value == null || !isSeen(value)) {
            truth.clear();
        } else {
            truth.update(now);
        }
    }

    @Override
    public void clear() {
        filter.clear();
        truth.clear();
    }

    /** Without checking: for tests of the oracle. */
    InternalValueState<K, N, V> filter() {
        return filter;
    }

    @Override
    public void setCurrentNamespace(N namespace) {
        filter.setCurrentNamespace(namespace);
        truth.setCurrentNamespace(namespace);
    }

    @Override
    public TypeSerializer<K> getKeySerializer() {
        return filter.getKeySerializer();
    }

    @Override
    public TypeSerializer<N> getNamespaceSerializer() {
        return filter.getNamespaceSerializer();
    }

    @Override
    public TypeSerializer<V> getValueSerializer() {
        return filter.getValueSerializer();
    }

    @Override
    public byte[] getSerializedValue(
            byte[] serializedKeyAndNamespace,
            TypeSerializer<K> safeKeySerializer,
            TypeSerializer<N> safeNamespaceSerializer,
            TypeSerializer<V> safeValueSerializer)
            throws Exception {
        return filter.getSerializedValue(
                serializedKeyAndNamespace,
                safeKeySerializer,
                safeNamespaceSerializer,
                safeValueSerializer);
    }

    @Override
    public StateIncrementalVisitor<K, N, V> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        return filter.getStateIncrementalVisitor(recommendedMaxNumberOfReturnedRecords);
    }
}
