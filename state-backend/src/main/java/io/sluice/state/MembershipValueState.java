/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import java.io.UncheckedIOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * A value state in a filter: {@code value()} says "seen" if the key might have been marked, and is
 * the default, usually null, if it certainly was not.
 *
 * <p>The usual pair of calls for a new key, {@code value()} and then {@code update(true)}, computes
 * one hash; for a known key {@code update(true)} does nothing.
 */
final class MembershipValueState<K, N, V> extends AbstractMembershipState<K, N, V>
        implements BatchMembershipState<K> {

    private final Mark<V> mark;

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
            TypeSerializer<V> valueSerializer,
            @Nullable V defaultValue) {
        super(
                store,
                key,
                keySerializer,
                namespaceSerializer,
                namespaces,
                valueSerializer,
                defaultValue);
        this.mark = mark;
    }

    @Override
    public V value() throws IOException {
        if (answeredPosition != position()) {
            answered(isMarked());
        }
        return answer ? mark.seen() : defaultValue();
    }

    @Override
    public void update(@Nullable V value) throws IOException {
        if (value == null) {
            clear();
        } else if (!isSeen(value)) {
            throw cannotHoldFalse();
        } else if (!(answer && answeredPosition == position())) {
            mark();
            answered(true);
        }
    }

    @Override
    public void clear() {
        try {
            unmark();
        } catch (IOException e) {
            // The interface has no IOException here.
            throw new UncheckedIOException(e);
        }
        answered(false);
    }

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

    @Override
    boolean isSeen(V value) {
        return mark.isSeen(value);
    }

    private void answered(boolean marked) {
        answeredPosition = position();
        answer = marked;
    }
}
