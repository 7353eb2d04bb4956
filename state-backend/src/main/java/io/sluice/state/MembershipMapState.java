/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * A map state in a filter: the mark is the key, the namespace and the map's key. A filter does not
 * hold the map's keys, so whatever needs them (iteration, {@code isEmpty}, {@code clear}) is
 * refused.
 *
 * <p>With a time-to-live, Flink wraps the state as it wraps value states, see {@link
 * TtlMembershipValueState}: an entry lives by the time when it was last put.
 *
 * @param <K> type of the keys
 * @param <N> type of the namespaces
 * @param <M> type of the map's keys
 * @param <V> type of the map's values: that of a {@link Mark}
 */
final class MembershipMapState<K, N, M, V> extends AbstractMembershipState<K, N, Map<M, V>>
        implements InternalMapState<K, N, M, V> {

    private final Mark<V> mark;
    private final KeyFingerprinter<M> mapKeys;

    /** The position and hash for which {@link #answer} holds; no position is negative. */
    private long answeredPosition = -1;

    private long answeredHash;
    private boolean answer;

    /**
     * @param clock null without a time-to-live
     */
    MembershipMapState(
            Mark<V> mark,
            KeyFingerprinter<M> mapKeys,
            MembershipStore store,
            CurrentKey<K> key,
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            @Nullable KeyFingerprinter<N> namespaces,
            StateDescriptor<?, Map<M, V>> descriptor,
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
        this.mapKeys = mapKeys;
    }

    /** Whether a value of the map says "seen". */
    boolean isSeen(@Nullable V value) {
        return value != null && mark.isSeen(value);
    }

    /** What a value says that is not "seen", for messages. */
    String otherValues() {
        return mark.isNumber()
                ? "a value that came more than once, or for several aggregates,"
                : "'false' or null for some key";
    }

    /** The hash of the current key and namespace with a key of the map. */
    long hash(M mapKey) throws IOException {
        return Hashing.combine(hash(), mapKeys.hash(mapKey));
    }

    @Override
    @Nullable
    public V get(M mapKey) throws IOException {
        return contains(mapKey) ? mark.seen() : null;
    }

    @Override
    public boolean contains(M mapKey) throws IOException {
        tellTime();
        long hash = hash(mapKey);
        answered(hash, isMarked(hash));
        return answer;
    }

    @Override
    public void put(M mapKey, @Nullable V value) throws IOException {
        check(value);
        tellTime();
        long hash = hash(mapKey);
        boolean isKnown = answer && answeredHash == hash && answeredPosition == position();
        // With a time-to-live, a known key is marked again: it lives from now on.
        if (!isKnown || hasTimeToLive()) {
            mark(hash);
            answered(hash, true);
        }
    }

    /** All or nothing: a value that cannot be held refuses all of them. */
    @Override
    public void putAll(@Nullable Map<M, V> map) throws IOException {
        if (map == null) {
            return;
        }
        map.values().forEach(this::check);
        for (M mapKey : map.keySet()) {
            put(mapKey, mark.seen());
        }
    }

    /** As for a value state, another mark with the same fingerprint goes too. */
    @Override
    public void remove(M mapKey) throws IOException {
        tellTime();
        long hash = hash(mapKey);
        unmark(hash);
        answered(hash, false);
    }

    private void answered(long hash, boolean marked) {
        answeredPosition = position();
        answeredHash = hash;
        answer = marked;
    }

    /**
     * Refuses what a filter cannot tell from an absent entry. A map may hold null, unlike a value
     * state, where it means {@code clear()}.
     */
    private void check(@Nullable V value) {
        if (isSeen(value)) {
            return;
        }
        if (mark.isNumber()) {
            throw new UnsupportedOperationException(
                    "Map state '"
                            + name()
                            + "' is kept in a filter, which can hold a value once, but not how"
                            + " often it came or for which aggregates: the query takes values back,"
                            + " or has several aggregates of the same distinct values (as with"
                            + " FILTER). Keep the state exact: take its name"
                            + " out of "
                            + CascadeBackendOptions.MAP_STATES.key()
                            + " and start the query without its state.");
        }
        throw new UnsupportedOperationException(
                "Map state '"
                        + name()
                        + "' is kept in a filter, which can hold 'true' or nothing, but neither"
                        + " 'false' nor null. Use remove(key) instead, or keep the state exact:"
                        + " take its name out of "
                        + CascadeBackendOptions.MAP_STATES.key()
                        + '.');
    }

    // -------------------- what needs the map's keys --------------------

    @Override
    public boolean isEmpty() {
        throw noMapKeys("isEmpty()");
    }

    @Override
    public Iterable<Map.Entry<M, V>> entries() {
        throw noMapKeys("entries()");
    }

    @Override
    public Iterable<M> keys() {
        throw noMapKeys("keys()");
    }

    @Override
    public Iterable<V> values() {
        throw noMapKeys("values()");
    }

    @Override
    public Iterator<Map.Entry<M, V>> iterator() {
        throw noMapKeys("iterator()");
    }

    @Override
    public void clear() {
        throw noMapKeys("clear()");
    }

    private UnsupportedOperationException noMapKeys(String method) {
        return new UnsupportedOperationException(
                "Map state '"
                        + name()
                        + "' does not have "
                        + method
                        + ": it is kept in a filter, which does not hold the keys of the map. Use"
                        + " remove(key) for single keys or a time-to-live for all, or keep the"
                        + " state exact: take its name out of "
                        + CascadeBackendOptions.MAP_STATES.key()
                        + " and give it another name if a checkpoint has it.");
    }
}
