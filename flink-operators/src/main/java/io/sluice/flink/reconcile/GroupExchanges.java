/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.WindowReport.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * All windows of one key group: opens them with their first record, closes them by the watermark,
 * hands out the peer's messages, and bounds what waits. Knows nothing of Flink. Not thread-safe.
 *
 * <p>A window that only the peer has seen is closed here as an empty one when a message about it
 * comes, so that this side gets it too. What is known of a finished window is forgotten after the
 * time to live; {@link #forgottenUpTo} then keeps it from being taken for such an empty one.
 */
final class GroupExchanges {

    /** Before every window. */
    static final long NONE = Long.MIN_VALUE;

    private final ReconcileSettings settings;
    private final int group;
    private final TreeMap<Long, Reconciliation> windows = new TreeMap<>();
    private long watermark = NONE;
    private long forgottenUpTo = NONE;

    GroupExchanges(ReconcileSettings settings, int group) {
        this.settings = settings;
        this.group = group;
    }

    /** The state of one that was stopped. */
    void restore(long atWatermark, long forgotten, Collection<Reconciliation> exchanges) {
        watermark = atWatermark;
        forgottenUpTo = forgotten;
        for (Reconciliation exchange : exchanges) {
            windows.put(exchange.window, exchange);
        }
    }

    /** Event time: no record up to here belongs to a window any more. */
    long watermark() {
        return watermark;
    }

    /** The youngest window that was forgotten; unknown windows up to here are over. */
    long forgottenUpTo() {
        return forgottenUpTo;
    }

    Collection<Reconciliation> exchanges() {
        return windows.values();
    }

    boolean isEmpty() {
        return windows.isEmpty();
    }

    /** End of the window that closes next; {@link Long#MAX_VALUE} if none is open. */
    long nextEnd() {
        for (Reconciliation exchange : windows.values()) {
            if (exchange.phase() == Phase.OPEN) {
                return settings.setup().endOf(exchange.window);
            }
        }
        return Long.MAX_VALUE;
    }

    /**
     * One copy more of an element.
     *
     * @return whether its window was open; otherwise the record came too late and changed nothing
     */
    boolean add(long timestamp, long hash, byte[] id, GroupHost host) throws Exception {
        long window = settings.setup().windowOf(timestamp);
        Reconciliation exchange = windows.get(window);
        if (isClosed(window) || (exchange != null && exchange.phase() != Phase.OPEN)) {
            return false;
        }
        if (exchange == null) {
            exchange = open(window);
        }
        exchange.add(hash, id, host.at(window));
        return true;
    }

    private boolean isClosed(long window) {
        return settings.setup().endOf(window) - 1 <= watermark || window <= forgottenUpTo;
    }

    private Reconciliation open(long window) {
        Reconciliation exchange = new Reconciliation(settings, group, window);
        windows.put(window, exchange);
        return exchange;
    }

    /** Closes the windows that end at {@code newWatermark} or before. */
    void advance(long newWatermark, GroupHost host) throws Exception {
        watermark = Math.max(watermark, newWatermark);
        for (Reconciliation exchange : windows.values()) {
            if (exchange.phase() == Phase.OPEN && isClosed(exchange.window)) {
                exchange.close(host.at(exchange.window));
            }
        }
        makeRoom(host);
    }

    /** Takes a message of the peer for this key group. */
    void receive(Message message, GroupHost host) throws Exception {
        long window = message.head().window();
        Reconciliation exchange = windows.get(window);
        if (exchange == null) {
            if (window <= forgottenUpTo) {
                host.at(window).refused(Refusal.OLD);
                return;
            }
            if (!isClosed(window) && earlyWindows() >= settings.maxEarlyWindows()) {
                host.at(window).refused(Refusal.NO_ROOM);
                return;
            }
            exchange = open(window);
            if (isClosed(window)) {
                exchange.close(host.at(window));
            }
        }
        exchange.receive(message, host.at(window));
        if (exchange.phase().isOver()) {
            sweep(host);
        }
    }

    private int earlyWindows() {
        int early = 0;
        for (Reconciliation exchange : windows.values()) {
            early += exchange.phase() == Phase.OPEN && exchange.elements == 0 ? 1 : 0;
        }
        return early;
    }

    /** See {@link Reconciliation#beforeCheckpoint}. */
    void beforeCheckpoint(long elapsedMillis, GroupHost host) throws Exception {
        for (Reconciliation exchange : windows.values()) {
            exchange.beforeCheckpoint(elapsedMillis, host.at(exchange.window));
        }
        sweep(host);
    }

    private void makeRoom(GroupHost host) throws Exception {
        long waiting = 0;
        for (Reconciliation exchange : windows.values()) {
            waiting += exchange.waitingElements();
        }
        if (waiting <= settings.maxWaitingElements()) {
            return;
        }
        for (Reconciliation exchange : windows.values()) {
            if (waiting > settings.maxWaitingElements()) {
                waiting -= exchange.waitingElements();
                exchange.giveUp(Outcome.NO_ROOM, host.at(exchange.window));
            }
        }
        sweep(host);
    }

    private void sweep(GroupHost host) throws Exception {
        List<Long> over = new ArrayList<>();
        for (Reconciliation exchange : windows.values()) {
            if (exchange.phase().isOver()) {
                over.add(exchange.window);
            }
        }
        for (long window : over) {
            windows.remove(window);
            forgottenUpTo = Math.max(forgottenUpTo, window);
            host.forget(window);
        }
    }
}
