/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * All windows of one key group: opens a window with its first record, closes it by the watermark,
 * dispatches the peer's messages, and bounds what waits. Knows nothing of Flink. Not thread-safe.
 *
 * <p>A window that only the peer has seen is closed here as an empty one when a message about it
 * comes, so that this side gets it too. A finished window is forgotten after the time to live;
 * {@link ForgottenWindows} then keeps it from being taken for such an empty one, and a peer that
 * still asks about it gets a farewell.
 */
final class GroupExchanges {

    /** Before every window. */
    static final long NONE = Long.MIN_VALUE;

    /**
     * How many windows can get a farewell between two checkpoints; the peer asks again about the
     * others.
     */
    private static final int MAX_FAREWELLS = 1000;

    private final Side side;
    private final ReconcileSettings settings;
    private final TreeMap<Long, Reconciliation> windows = new TreeMap<>();
    private final ForgottenWindows forgotten;
    private final Set<Long> farewells = new HashSet<>();
    private long watermark = NONE;
    private boolean ended;

    /** Whether clock or forgotten windows have changed since they were written. */
    private boolean areFactsNew = true;

    /** Valid only while {@link #isNextEndKnown}. */
    private long nextEnd;

    private boolean isNextEndKnown;

    GroupExchanges(Side side) {
        this.side = side;
        this.settings = side.settings();
        this.forgotten = new ForgottenWindows(settings.setup().windowMillis());
    }

    /** Restores the exchanges as they were written. */
    void restore(
            long atWatermark,
            Map<Long, Long> forgottenRanges,
            Collection<Reconciliation> exchanges) {
        watermark = atWatermark;
        forgottenRanges.forEach(forgotten::addRange);
        for (Reconciliation exchange : exchanges) {
            windows.put(exchange.window(), exchange);
        }
        isNextEndKnown = false;
        areFactsNew = false;
    }

    /** Whether clock or forgotten windows have changed since the last call. */
    boolean takeNews() {
        boolean news = areFactsNew;
        areFactsNew = false;
        return news;
    }

    Side side() {
        return side;
    }

    /** Event time: no record up to this time belongs to an open window. */
    long watermark() {
        return watermark;
    }

    /** The windows that are over and no longer remembered. */
    Map<Long, Long> forgotten() {
        return forgotten.ranges();
    }

    Collection<Reconciliation> exchanges() {
        return windows.values();
    }

    /** End of the window that closes next; {@link Long#MAX_VALUE} if none is open. */
    long nextEnd() {
        if (!isNextEndKnown) {
            nextEnd = Long.MAX_VALUE;
            for (Reconciliation exchange : windows.values()) {
                if (exchange.phase() == Phase.OPEN) {
                    nextEnd = settings.setup().endOf(exchange.window());
                    break;
                }
            }
            isNextEndKnown = true;
        }
        return nextEnd;
    }

    /** What became of a record. */
    enum Fate {
        COUNTED,
        /** Its window was closed. */
        LATE,
        /** Its window and key group would have more than 2^63 - 1 copies. */
        SATURATED
    }

    /**
     * Adds copies of an element, unless its window is closed or full; then nothing changes.
     *
     * @param copies at least 1, or {@link OwnMultiset#ONCE}
     */
    Fate add(long timestamp, long hash, byte[] id, long copies, GroupHost host) throws Exception {
        long window = settings.setup().windowOf(timestamp);
        Reconciliation exchange = windows.get(window);
        if (exchange == null) {
            if (isClosed(window) || forgotten.contains(window)) {
                return Fate.LATE;
            }
            exchange = open(window);
        } else if (isClosed(window) || exchange.phase() != Phase.OPEN) {
            return Fate.LATE;
        }
        boolean isCounted = exchange.add(hash, id, copies, host.at(window));
        boundWindows(host);
        return isCounted ? Fate.COUNTED : Fate.SATURATED;
    }

    private boolean isClosed(long window) {
        return ended || settings.setup().endOf(window) - 1 <= watermark;
    }

    private Reconciliation open(long window) {
        Reconciliation exchange = new Reconciliation(side, window);
        windows.put(window, exchange);
        isNextEndKnown = false;
        return exchange;
    }

    /** Closes the windows that end at {@code newWatermark} or before. */
    void advance(long newWatermark, GroupHost host) throws Exception {
        areFactsNew |= newWatermark > watermark;
        watermark = Math.max(watermark, newWatermark);
        closeWindows(host);
    }

    /** Closes all windows: there are no more records. The clock does not move. */
    void end(GroupHost host) throws Exception {
        ended = true;
        closeWindows(host);
    }

    private void closeWindows(GroupHost host) throws Exception {
        for (Reconciliation exchange : windows.values()) {
            if (exchange.phase() == Phase.OPEN && isClosed(exchange.window())) {
                exchange.close(host.at(exchange.window()));
            }
        }
        isNextEndKnown = false;
        makeRoom(host);
        sweep(host);
    }

    /** Handles a message of the peer for this key group. */
    void receive(Message message, GroupHost host) throws Exception {
        long window = message.head().window();
        Reconciliation exchange = windows.get(window);
        if (exchange == null) {
            exchange = meet(message, window, host);
            if (exchange == null) {
                return;
            }
        }
        exchange.receive(message, host.at(window));
        if (exchange.phase().isOver()) {
            sweep(host);
        }
        boundWindows(host);
    }

    /** A window for a message about an unknown window; null if none is to be opened. */
    @Nullable
    private Reconciliation meet(Message message, long window, GroupHost host) throws Exception {
        if (forgotten.contains(window)) {
            host.at(window).refused(Refusal.OLD);
            if (!message.isFarewell()
                    && farewells.size() < MAX_FAREWELLS
                    && farewells.add(window)) {
                host.at(window).send(MessageKind.DIGEST, GaveUpMessage.message(side, window));
            }
            return null;
        }
        if (isClosed(window)) {
            if (message.isFarewell()) {
                // Neither side has any of its records.
                host.at(window).refused(Refusal.OLD);
                return null;
            }
            Reconciliation exchange = open(window);
            exchange.close(host.at(window));
            return exchange;
        }
        if (!hasRoomForEarly(window, host)) {
            host.at(window).refused(Refusal.NO_ROOM);
            return null;
        }
        return open(window);
    }

    /** Drops the window furthest ahead if necessary: the peer will mention it again. */
    private boolean hasRoomForEarly(long window, GroupHost host) throws Exception {
        int early = 0;
        long furthest = NONE;
        for (Reconciliation exchange : windows.values()) {
            if (isEarly(exchange)) {
                early++;
                furthest = exchange.window();
            }
        }
        if (early < settings.maxEarlyWindows()) {
            return true;
        }
        if (furthest <= window) {
            return false;
        }
        letGo(furthest, host);
        host.at(furthest).refused(Refusal.NO_ROOM);
        return true;
    }

    /** Whether only the peer has seen and closed it. */
    private static boolean isEarly(Reconciliation exchange) {
        return exchange.phase() == Phase.OPEN && exchange.isEmpty();
    }

    private void letGo(long window, GroupHost host) throws Exception {
        windows.remove(window);
        isNextEndKnown = false;
        host.forget(window);
    }

    /** See {@link Reconciliation#beforeCheckpoint}. */
    void beforeCheckpoint(long elapsedMillis, GroupHost host) throws Exception {
        for (Reconciliation exchange : windows.values()) {
            exchange.beforeCheckpoint(elapsedMillis, host.at(exchange.window()));
        }
        sweep(host);
        farewells.clear();
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
            if (waiting > settings.maxWaitingElements() && exchange.waitingElements() > 0) {
                waiting -= exchange.waitingElements();
                exchange.giveUp(Outcome.NO_ROOM, host.at(exchange.window()));
            }
        }
        sweep(host);
    }

    /**
     * Keeps the number of windows within the bound. Finished windows go first, oldest first. Then,
     * of the open and the waiting windows, the more numerous kind has to go: of the open ones the
     * one furthest ahead, so that wild timestamps displace each other; of the waiting ones the
     * oldest.
     */
    private void boundWindows(GroupHost host) throws Exception {
        while (windows.size() > settings.maxWindows()) {
            Reconciliation settled = null;
            Reconciliation agreed = null;
            Reconciliation waiting = null;
            Reconciliation open = null;
            int opens = 0;
            for (Reconciliation exchange : windows.values()) {
                switch (exchange.phase()) {
                    case SETTLED -> settled = settled == null ? exchange : settled;
                    case AGREED -> agreed = agreed == null ? exchange : agreed;
                    case EXCHANGING -> waiting = waiting == null ? exchange : waiting;
                    default -> {
                        open = exchange;
                        opens++;
                    }
                }
            }
            Reconciliation finished = settled != null ? settled : agreed;
            if (finished != null) {
                finished.forget();
                sweep(host);
            } else if (open != null && (waiting == null || opens > windows.size() / 2)) {
                giveUpOpen(open, host);
            } else {
                waiting.giveUp(Outcome.NO_ROOM, host.at(waiting.window()));
                sweep(host);
            }
        }
    }

    private void giveUpOpen(Reconciliation open, GroupHost host) throws Exception {
        if (isEarly(open)) {
            letGo(open.window(), host);
            host.at(open.window()).refused(Refusal.NO_ROOM);
        } else {
            open.giveUp(Outcome.NO_ROOM, host.at(open.window()));
            sweep(host);
        }
    }

    private void sweep(GroupHost host) throws Exception {
        List<Long> over = new ArrayList<>();
        for (Reconciliation exchange : windows.values()) {
            if (exchange.phase().isOver()) {
                over.add(exchange.window());
            }
        }
        for (long window : over) {
            letGo(window, host);
            forgotten.add(window, watermark);
            areFactsNew = true;
        }
    }
}
