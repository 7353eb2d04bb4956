/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.element.ElementIds;
import io.sluice.flink.reconcile.message.MessageKind;
import java.io.IOException;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.streaming.api.operators.KeyContext;

/**
 * What exchanges need, from Flink: elements are in keyed state, messages go to its outbox, and the
 * rest is emitted. It is that of one key group at a time, and of one window of it. Not thread-safe.
 *
 * @param <K> type of the ids
 */
final class StateHost<K> implements GroupHost, Host {

    private final KeyContext context;
    private final Integer[] keys;
    private final ElementIds<K> ids;
    private final ReconcileState state;
    private final ReconcileEmitter<?, K> emitter;
    private int group;
    private long window;

    StateHost(
            KeyContext context,
            Integer[] keys,
            ElementIds<K> ids,
            ReconcileState state,
            ReconcileEmitter<?, K> emitter) {
        this.context = context;
        this.keys = keys;
        this.ids = ids;
        this.state = state;
        this.emitter = emitter;
    }

    /** Turns to a key group: sets its key, which is also that of all state. */
    void enter(int ofGroup) {
        group = ofGroup;
        context.setCurrentKey(keys[ofGroup]);
    }

    @Override
    public Host at(long ofWindow) {
        window = ofWindow;
        return this;
    }

    @Override
    public void forget(long ofWindow) throws Exception {
        state.forget(ofWindow);
    }

    private MapState<Long, byte[]> elements() {
        return state.elementsOf(window);
    }

    @Override
    public void forEach(Visitor visitor) throws Exception {
        for (Map.Entry<Long, byte[]> entry : elements().entries()) {
            visitor.element(entry.getKey(), ReconcileState.copiesOf(entry.getValue()));
        }
    }

    @Override
    @Nullable
    public Element get(long hash) throws Exception {
        return ReconcileState.unpack(elements().get(hash));
    }

    @Override
    public void put(long hash, Element element) throws Exception {
        elements().put(hash, ReconcileState.pack(element));
    }

    @Override
    public void clear() {
        elements().clear();
    }

    @Override
    public long hash(byte[] id) throws IOException {
        return ids.hash(ids.read(id));
    }

    @Override
    public void send(MessageKind kind, byte[] message) throws Exception {
        state.outbox().send(message, keys[group]);
    }

    @Override
    public void repaired(byte[] id, long before, long after) throws IOException {
        emitter.repair(window, id, before, after);
    }

    @Override
    public void refused(Refusal why) {
        emitter.refused(why, group, window);
    }

    @Override
    public void saturated(int elements) {
        emitter.saturated(elements);
    }

    @Override
    public void suspended(WindowReport report) {
        emitter.report(report);
    }

    @Override
    public void concluded(WindowReport report) throws Exception {
        emitter.report(report);
        if (emitter.wantsElements()) {
            for (byte[] packed : elements().values()) {
                Element element = ReconcileState.unpack(packed);
                emitter.element(window, element.id(), element.copies());
            }
        }
    }
}
