/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * A value state in a filter: {@code value()} says "seen" if the key might have been marked, and is
 * the default, usually null, if it certainly was not.
 *
 * <p>The usual pair of calls for a new key, {@code value()} and then {@code update(true)}, computes
 * one hash; for a known key {@code update(true)} does nothing.
 */
final class MembershipValueState<K, N, V> extends AbstractMembershipValueState<K, N, V>
        implements BatchMembershipState<K> {

    /** The position for which {@link #answer} holds; no position is negative. */
    private long answeredPosition = -1;

    private boolean answer;

    MembershipValueState(
            Mark<V> mark,
            MembershipStore store,
            CurrentKey<K> key,
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            @Nullable KeyFingerprinter<N> namespaces,
            StateDescriptor<?, V> descriptor) {
        super(mark, store, key, keySerializer, namespaceSerializer, namespaces, descriptor, null);
    }

    @Override
    public V value() throws IOException {
        if (answeredPosition != position()) {
            answered(isMarked(hash()));
        }
        return value(answer);
    }

    @Override
    public void update(@Nullable V value) throws IOException {
        if (value == null) {
            clear();
        } else if (!isSeen(value)) {
            throw cannotHoldFalse();
        } else if (!(answer && answeredPosition == position())) {
            mark(hash());
            answered(true);
        }
    }

    @Override
    public void clear() {
        super.clear();
        answered(false);
    }

    @Override
    public void advance() {}

    @Override
    public long hash(K key) throws IOException {
        return hashOf(key);
    }

    @Override
    public void markAll(int[] keyGroups, long[] hashes, int count, boolean[] absent)
            throws IOException {
        addAll(keyGroups, hashes, count, absent);
        // The key of the last answer may be among them.
        answeredPosition = -1;
    }

    private void answered(boolean marked) {
        answeredPosition = position();
        answer = marked;
    }
}
