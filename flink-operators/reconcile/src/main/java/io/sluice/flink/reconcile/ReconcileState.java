/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;

/**
 * The managed keyed state of {@link ReconcileOperator}. The key is the key group's; callers must
 * have set it.
 *
 * <ul>
 *   <li>{@code elements}, with the window as namespace: hash of an element to its copies (8 bytes,
 *       big-endian) and its serialized id;
 *   <li>{@code exchanges}: window to what {@link ReconciliationFormat} writes;
 *   <li>{@code outbox}: number to a message ({@link Outbox});
 *   <li>{@code group}: what {@link KeyGroupFormat} writes.
 * </ul>
 *
 * The envelopes are versioned; a change to the other formats changes the name of the state.
 */
final class ReconcileState {

    private final InternalMapState<Integer, Long, Long, byte[]> elements;
    private final MapState<Long, byte[]> exchanges;
    private final Outbox outbox;
    private final ValueState<byte[]> facts;
    private final ReconcileSettings settings;
    private final String idType;

    @SuppressWarnings("unchecked")
    ReconcileState(KeyedStateBackend<Integer> backend, ReconcileSettings settings, String idType)
            throws Exception {
        this.settings = settings;
        this.idType = idType;
        elements =
                (InternalMapState<Integer, Long, Long, byte[]>)
                        backend.getOrCreateKeyedState(
                                LongSerializer.INSTANCE, bytesByLong("elements"));
        exchanges = perGroup(backend, bytesByLong("exchanges"));
        outbox = new Outbox(perGroup(backend, bytesByLong("outbox")));
        facts =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>("group", BytePrimitiveArraySerializer.INSTANCE));
    }

    private static MapStateDescriptor<Long, byte[]> bytesByLong(String name) {
        return new MapStateDescriptor<>(
                name, LongSerializer.INSTANCE, BytePrimitiveArraySerializer.INSTANCE);
    }

    private static MapState<Long, byte[]> perGroup(
            KeyedStateBackend<Integer> backend, MapStateDescriptor<Long, byte[]> descriptor)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    Outbox outbox() {
        return outbox;
    }

    /** Elements of one window, until the next call. */
    MapState<Long, byte[]> elementsOf(long window) {
        elements.setCurrentNamespace(window);
        return elements;
    }

    static byte[] pack(Host.Element element) {
        return ByteBuffer.allocate(Long.BYTES + element.id().length)
                .putLong(element.copies())
                .put(element.id())
                .array();
    }

    static long copiesOf(byte[] packed) {
        return ByteBuffer.wrap(packed).getLong();
    }

    @Nullable
    static Host.Element unpack(@Nullable byte[] packed) {
        if (packed == null) {
            return null;
        }
        byte[] id = new byte[packed.length - Long.BYTES];
        System.arraycopy(packed, Long.BYTES, id, 0, id.length);
        return new Host.Element(copiesOf(packed), id);
    }

    /**
     * The key group as it is in the state.
     *
     * @param incarnation of a key group that has no state
     * @param source how messages name the operator
     * @throws IllegalStateException if the state was written under another setup
     */
    GroupExchanges restore(int group, long incarnation, String source, Integer key)
            throws Exception {
        byte[] bytes = facts.value();
        if (bytes == null) {
            return new GroupExchanges(new Side(settings, group, incarnation));
        }
        KeyGroupFacts read = KeyGroupFormat.read(bytes, source);
        read.check(settings, idType, source);
        Side side = new Side(settings, group, read.incarnation());
        List<Reconciliation> restored = new ArrayList<>();
        for (Map.Entry<Long, byte[]> entry : exchanges.entries()) {
            restored.add(ReconciliationFormat.read(entry.getValue(), side, source));
        }
        outbox.restore(key);
        GroupExchanges exchangesOfGroup = new GroupExchanges(side);
        long watermark = settings.resetClock() ? GroupExchanges.NONE : read.watermark();
        exchangesOfGroup.restore(watermark, read.forgotten(), restored);
        return exchangesOfGroup;
    }

    void write(GroupExchanges group) throws Exception {
        for (Reconciliation exchange : group.exchanges()) {
            exchanges.put(exchange.window(), ReconciliationFormat.write(exchange));
        }
        if (!group.takeNews()) {
            return;
        }
        facts.update(
                KeyGroupFormat.write(
                        new KeyGroupFacts(
                                settings.setup(),
                                settings.replica(),
                                settings.peer(),
                                idType,
                                group.side().incarnation(),
                                group.watermark(),
                                group.forgotten())));
    }

    /** Removes an exchange and its elements. */
    void forget(long window) throws Exception {
        exchanges.remove(window);
        elementsOf(window).clear();
    }
}
