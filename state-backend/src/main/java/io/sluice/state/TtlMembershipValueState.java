/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import java.io.UncheckedIOException;
import javax.annotation.Nullable;
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
final class TtlMembershipValueState<K, N, V> extends AbstractMembershipState<K, N, TtlValue<V>> {

    private final Mark<V> mark;

    /** The value of a marked key. */
    private final TtlValue<V> seen;

    private final TtlTimeProvider clock;

    TtlMembershipValueState(
            Mark<V> mark,
            MembershipStore store,
            CurrentKey<K> key,
            TtlTimeProvider clock,
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            @Nullable KeyFingerprinter<N> namespaces,
            TypeSerializer<TtlValue<V>> valueSerializer,
            @Nullable TtlValue<V> defaultValue) {
        super(
                store,
                key,
                keySerializer,
                namespaceSerializer,
                namespaces,
                valueSerializer,
                defaultValue);
        this.mark = mark;
        this.seen = new TtlValue<>(mark.seen(), Long.MAX_VALUE);
        this.clock = clock;
    }

    @Override
    public TtlValue<V> value() throws IOException {
        tellTime();
        return isMarked() ? seen : defaultValue();
    }

    @Override
    public void update(@Nullable TtlValue<V> value) throws IOException {
        if (value == null || value.getUserValue() == null) {
            clear();
        } else if (!isSeen(value)) {
            throw cannotHoldFalse();
        } else {
            tellTime();
            mark();
        }
    }

    @Override
    public void clear() {
        try {
            tellTime();
            unmark();
        } catch (IOException e) {
            // The interface has no IOException here.
            throw new UncheckedIOException(e);
        }
    }

    @Override
    boolean isSeen(TtlValue<V> value) {
        return mark.isSeen(value.getUserValue());
    }

    @Override
    void markAt(long time) throws IOException {
        advanceTo(time);
        mark();
    }

    /** Existing keys start their time-to-live now, if they have not started yet. */
    @Override
    void begin() throws IOException {
        tellTime();
    }

    long now() {
        return clock.currentTimestamp();
    }

    private void tellTime() throws IOException {
        advanceTo(now());
    }
}
