/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;
import javax.annotation.Nullable;

/**
 * One replica's half of the exchange about one window of one key group. Knows nothing of Flink; the
 * {@link Host} provides what it needs.
 *
 * <p>After its window has closed, a replica's multiset changes only by repairs, which raise
 * multiplicities to what the peer really has. So both multisets only grow, and never beyond their
 * union at maximum multiplicity. Three things follow, even if messages are lost, come twice, late
 * or in another order:
 *
 * <ul>
 *   <li>A repair may be applied at any time, any number of times.
 *   <li>If the peer ever had the totals that this side has now, both are at the union: since then
 *       the peer can have gained only what this side has, which it already had. Equality is final.
 *   <li>What a message says stays true as long as the sender does not fall back behind it: hence
 *       messages leave with completed checkpoints only.
 * </ul>
 *
 * <p>The protocol: both send a digest. A side that sees a digest other than its own sends a
 * question, a filter or coded symbols; a side that gets one answers with what it seems to lack, or
 * with a shortage of symbols, after which the question has more of them or is a filter; a side that
 * has the complete answer begins a round: a digest and, if necessary, another question with another
 * seed. Equal digests end the exchange, and each side repeats its digest until it knows that the
 * other knows. A side that hears nothing repeats its last message at growing intervals. A side that
 * gives up sends a farewell, and the other stops waiting for it.
 *
 * <p>A peer that starts without its state is a new incarnation: what it said before is no longer
 * true. An exchange that has not ended begins again with it. One that has ended cannot be repeated,
 * and the peer is told so, unless it has exactly the totals that were agreed on: then nothing is
 * missing, and equality is final.
 *
 * <p>Not thread-safe.
 */
final class Reconciliation {

    private final Side side;
    private final ReconcileSettings settings;
    private final long window;
    private final OwnMultiset own;
    private final PeerView peer;
    private final AwaitedAnswer awaited;
    private final RepeatTimer patience;
    private final ExchangeStatistics statistics;
    private final Outgoing outgoing;
    private Phase phase;

    /** Never kept across a checkpoint. */
    private boolean farewellDue;

    /** A window that takes records, and has none. */
    Reconciliation(Side side, long window) {
        this(
                side,
                window,
                Phase.OPEN,
                new OwnMultiset(side, new Totals(0, 0, 0)),
                new PeerView(),
                new AwaitedAnswer(),
                new RepeatTimer(side.settings().retryMillis()),
                new ExchangeStatistics(),
                0,
                null);
    }

    /**
     * Continues a stopped exchange.
     *
     * @param serial number of messages so far
     * @param due digest, filter or null
     */
    Reconciliation(
            Side side,
            long window,
            Phase phase,
            OwnMultiset own,
            PeerView peer,
            AwaitedAnswer awaited,
            RepeatTimer patience,
            ExchangeStatistics statistics,
            long serial,
            @Nullable MessageKind due) {
        this.side = side;
        this.settings = side.settings();
        this.window = window;
        this.phase = phase;
        this.own = own;
        this.peer = peer;
        this.awaited = awaited;
        this.patience = patience;
        this.statistics = statistics;
        this.outgoing = new Outgoing(side, window, own, patience, statistics, serial, due);
    }

    /**
     * Adds copies of an element from this replica's own input. The window must be open.
     *
     * @param copies at least 1, or {@link OwnMultiset#ONCE}
     * @return false if there would be more copies than can be counted; then nothing has changed
     */
    boolean add(long hash, byte[] id, long copies, Host host) throws Exception {
        if (Math.max(1, copies) > Long.MAX_VALUE - own.copies()) {
            return false;
        }
        if (own.add(hash, id, copies, host)) {
            statistics.countElement(id);
        }
        return true;
    }

    /** The window takes no more records. */
    void close(Host host) throws Exception {
        phase = Phase.EXCHANGING;
        begin();
        if (peer.isGone()) {
            conclude(Phase.GAVE_UP, Outcome.PEER_GAVE_UP, host);
        } else {
            judge(false, host);
        }
    }

    private void begin() {
        statistics.begin(own);
        outgoing.demand(MessageKind.DIGEST);
    }

    /** Handles a message of the peer about this window and key group. */
    void receive(Message message, Host host) throws Exception {
        long incarnation = message.head().incarnation();
        if (phase.isOver() || incarnation < peer.incarnation()) {
            host.refused(Refusal.OLD);
            return;
        }
        if (message.isFarewell()) {
            onFarewell(incarnation, host);
            return;
        }
        if (incarnation > peer.incarnation()) {
            if (phase.isAgreed() && !message.head().totals().equals(own.totals())) {
                // It was agreed with the peer's former incarnation, and the elements are gone.
                host.refused(Refusal.OLD);
                phase = Phase.SETTLED;
                farewellDue = true;
                return;
            }
            meet(incarnation);
        }
        switch (message.kind()) {
            case DIGEST -> onDigest(message.head(), host);
            case FILTER, SYMBOLS -> onQuestion(message, host);
            case REPAIR -> onRepair(message, host);
            case SHORTAGE -> onShortage(message, host);
        }
    }

    private void onFarewell(long incarnation, Host host) throws Exception {
        switch (phase) {
            case OPEN -> {
                meet(incarnation);
                peer.leave();
            }
            case EXCHANGING -> conclude(Phase.GAVE_UP, Outcome.PEER_GAVE_UP, host);
            case AGREED -> phase = Phase.SETTLED;
            default -> host.refused(Refusal.DUPLICATE);
        }
    }

    /** Handles an incarnation that is not older than the known one. */
    private void meet(long incarnation) {
        boolean isAnother = peer.incarnation() != 0 && peer.incarnation() != incarnation;
        if (isAnother && phase == Phase.EXCHANGING) {
            awaited.beginAnew();
            outgoing.demand(MessageKind.DIGEST);
        }
        peer.beginAnew(incarnation);
        patience.heard();
    }

    private void onDigest(Message.Head head, Host host) throws Exception {
        if (!peer.hear(head)) {
            host.refused(head.serial() == peer.serial() ? Refusal.DUPLICATE : Refusal.OLD);
            return;
        }
        patience.heard();
        judge(head.retry(), host);
    }

    private void onQuestion(Message message, Host host) throws Exception {
        Message.Head head = message.head();
        if (head.serial() <= peer.filterSerial()) {
            host.refused(head.serial() == peer.filterSerial() ? Refusal.DUPLICATE : Refusal.OLD);
            return;
        }
        if (message.filter() != null && message.filter().seed() != settings.seedOf(head.round())) {
            host.refused(Refusal.FOREIGN);
            return;
        }
        if (peer.hearFilter(head)) {
            patience.heard();
        }
        if (phase == Phase.EXCHANGING && !head.totals().equals(own.totals())) {
            if (!outgoing.answer(message, phase, host)) {
                conclude(Phase.GAVE_UP, Outcome.TOO_LARGE, host);
            }
        }
        judge(head.retry(), host);
    }

    private void onRepair(Message message, Host host) throws Exception {
        Message.Repair repair = message.repair();
        int of = message.head().round();
        if (phase != Phase.EXCHANGING || of > awaited.round()) {
            host.refused(Refusal.OLD);
            return;
        }
        boolean isAwaited = awaited.awaits(of, repair);
        if (isAwaited && awaited.has(repair)) {
            host.refused(Refusal.DUPLICATE);
            return;
        }
        long[] hashes = own.hashesOf(repair.elements(), host);
        if (hashes == null) {
            host.refused(Refusal.FOREIGN);
            return;
        }
        int raised = own.raise(repair.elements(), hashes, host);
        statistics.countRepaired(of, raised);
        if (!isAwaited && raised == 0) {
            host.refused(Refusal.OLD);
        }
        patience.heard();
        if (isAwaited && awaited.take(repair)) {
            awaited.nextRound();
            outgoing.demand(MessageKind.DIGEST);
        }
        judge(false, host);
    }

    /** The peer asks for more symbols, or cannot use them. */
    private void onShortage(Message message, Host host) throws Exception {
        Message.Shortage shortage = message.shortage();
        if (phase != Phase.EXCHANGING || !awaited.lacks(message.head().round(), shortage)) {
            host.refused(Refusal.OLD);
            return;
        }
        patience.heard();
        if (shortage.isContradictory()) {
            awaited.fallBack(Fallback.CONTRADICTORY_SYMBOLS);
        } else {
            int more = moreSymbols(shortage, host);
            if (more == 0) {
                awaited.fallBack(Fallback.TOO_MANY_DIFFERENCES);
            } else {
                awaited.ask(more);
            }
        }
        outgoing.demand(MessageKind.FILTER);
    }

    private int firstSymbols(Host host) throws Exception {
        long peerElements = peer.totals().elements();
        double least = settings.filterBytes(Math.max(own.elements(), peerElements));
        int symbols = SymbolCount.first(settings, own.elements(), peerElements, least);
        if (symbols > 0 || settings.method() != DifferenceMethod.AUTO) {
            return symbols;
        }
        // A filter takes more if its counters are too small. To know it, all elements are read.
        double filter = filterBytes(own.sorted(host));
        return SymbolCount.first(settings, own.elements(), peerElements, filter);
    }

    private double filterBytes(SortedElements elements) {
        return OwnFilter.bytes(
                elements, peer.totals().elements(), statistics.elementBytes(), settings);
    }

    private int moreSymbols(Message.Shortage shortage, Host host) throws Exception {
        SortedElements elements = own.sorted(host);
        return SymbolCount.next(
                settings,
                shortage.symbols(),
                shortage.sketch().differing(elements),
                shortage.sketch().relativeError(),
                filterBytes(elements));
    }

    /**
     * Draws the conclusions from what the peer said last.
     *
     * @param asked whether the peer repeats itself because it lacks an answer
     */
    private void judge(boolean asked, Host host) throws Exception {
        if (phase == Phase.OPEN || !peer.hasSpoken()) {
            return;
        }
        if (!peer.totals().equals(own.totals())) {
            if (phase == Phase.EXCHANGING) {
                considerQuestion(host);
            } else {
                // It was equal once, so this message is older, or the peer has lost its state.
                repeatDigest(asked);
            }
        } else if (phase == Phase.EXCHANGING) {
            conclude(peer.phase().isAgreed() ? Phase.SETTLED : Phase.AGREED, Outcome.AGREED, host);
        } else {
            if (peer.phase().isAgreed()) {
                phase = Phase.SETTLED;
            }
            repeatDigest(asked && peer.phase() != Phase.SETTLED);
        }
    }

    private void repeatDigest(boolean wanted) {
        if (wanted) {
            outgoing.demand(MessageKind.DIGEST);
        }
    }

    /**
     * Makes a question due, unless one is outstanding or the peer spoke in an earlier round: then
     * it may lack what it is being sent.
     */
    private void considerQuestion(Host host) throws Exception {
        if (awaited.isOutstanding() || peer.round() < awaited.round()) {
            return;
        }
        if (awaited.round() >= ReconcileSettings.MAX_ROUNDS) {
            conclude(Phase.GAVE_UP, Outcome.IRRECONCILABLE, host);
            return;
        }
        awaited.ask(awaited.fallback() == Fallback.CONTRADICTORY_SYMBOLS ? 0 : firstSymbols(host));
        outgoing.demand(MessageKind.FILTER);
    }

    private void conclude(Phase end, Outcome outcome, Host host) throws Exception {
        phase = end;
        awaited.end();
        outgoing.drop();
        // Now rather than at the checkpoint, so that the report counts it.
        if (end.isAgreed()) {
            outgoing.digest(phase, awaited.round(), host);
        } else if (outcome != Outcome.PEER_GAVE_UP) {
            outgoing.farewell(host);
        }
        host.concluded(report(statistics, outcome));
        host.clear();
        patience.restart();
    }

    /** Gives up the window, and tells the peer. Does nothing if it has ended. */
    void giveUp(Outcome outcome, Host host) throws Exception {
        if (phase == Phase.OPEN) {
            begin();
        }
        if (phase == Phase.OPEN || phase == Phase.EXCHANGING) {
            conclude(Phase.GAVE_UP, outcome, host);
        }
    }

    /** The present state as a report; null if the exchange has ended and was reported. */
    @Nullable
    WindowReport unfinished() {
        if (phase == Phase.OPEN && own.elements() > 0) {
            ExchangeStatistics soFar = new ExchangeStatistics(statistics.toArray());
            soFar.begin(own);
            return report(soFar, Outcome.UNFINISHED);
        }
        return phase == Phase.EXCHANGING ? report(statistics, Outcome.UNFINISHED) : null;
    }

    private WindowReport report(ExchangeStatistics counts, Outcome outcome) {
        return counts.report(side, window, outcome, own, awaited, waitedMillis());
    }

    /**
     * Sends what is due, and repeats what was not answered. To be called before every checkpoint.
     *
     * @param elapsedMillis since the last call
     */
    void beforeCheckpoint(long elapsedMillis, Host host) throws Exception {
        if (phase == Phase.OPEN || phase.isOver()) {
            return;
        }
        if (farewellDue) {
            farewellDue = false;
            outgoing.farewell(host);
        }
        boolean wasPatient = waitedMillis() < settings.ttlMillis();
        patience.pass(elapsedMillis);
        if (waitedMillis() >= patienceMillis()) {
            if (phase == Phase.EXCHANGING) {
                giveUp(Outcome.TIMED_OUT, host);
            } else {
                phase = Phase.FORGOTTEN;
            }
            return;
        }
        if (wasPatient && phase == Phase.EXCHANGING && waitedMillis() >= settings.ttlMillis()) {
            host.suspended(report(statistics, Outcome.SUSPENDED));
        }
        if (phase != Phase.SETTLED) {
            outgoing.repeatIfSilent(
                    awaited.isOutstanding() ? MessageKind.FILTER : MessageKind.DIGEST);
        }
        if (outgoing.due() == MessageKind.DIGEST) {
            outgoing.digest(phase, awaited.round(), host);
        } else if (outgoing.due() == MessageKind.FILTER && awaited.symbols() > 0) {
            outgoing.symbols(phase, awaited.round(), awaited.symbols(), host);
        } else if (outgoing.due() == MessageKind.FILTER
                && !outgoing.filter(phase, awaited.round(), peer.totals().elements(), host)) {
            conclude(Phase.GAVE_UP, Outcome.TOO_LARGE, host);
        }
    }

    /** How long it is kept. A peer that comes back after long may need it, unless it is settled. */
    private long patienceMillis() {
        return settings.ttlMillis() + (phase == Phase.SETTLED ? 0 : settings.resumeMillis());
    }

    /** There is no more room for it: it has ended, and the peer may lack the last answer. */
    void forget() {
        if (phase.isAgreed()) {
            phase = Phase.FORGOTTEN;
        }
    }

    /** Start of the window, ms. */
    long window() {
        return window;
    }

    Phase phase() {
        return phase;
    }

    /** Whether this side has seen no record of it. */
    boolean isEmpty() {
        return own.elements() == 0;
    }

    /** Elements that are kept until the peer answers. */
    long waitingElements() {
        return phase == Phase.EXCHANGING ? own.elements() : 0;
    }

    /** Since the window was closed, or since the exchange ended; downtime left out. */
    long waitedMillis() {
        return patience.waitedMillis();
    }

    // What a checkpoint keeps.

    Side side() {
        return side;
    }

    OwnMultiset own() {
        return own;
    }

    PeerView peer() {
        return peer;
    }

    AwaitedAnswer awaited() {
        return awaited;
    }

    RepeatTimer patience() {
        return patience;
    }

    Outgoing outgoing() {
        return outgoing;
    }

    ExchangeStatistics statistics() {
        return statistics;
    }
}
