/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.flink.reconcile.WindowReport.Outcome;
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
 * <p>The protocol: both send a digest. A side that sees a digest other than its own sends a filter;
 * a side that gets a filter answers with what the filter seems to lack; a side that has the
 * complete answer begins a round: a digest and, if necessary, another filter with another seed.
 * Equal digests end the exchange, and each side repeats its digest until it knows that the other
 * knows. A side that hears nothing repeats its last message at growing intervals. A side that gives
 * up sends a farewell, and the other stops waiting for it.
 *
 * <p>A peer that starts without its state is a new incarnation: what it said before is no longer
 * true. An exchange that has not ended begins again with it. One that has ended cannot be repeated,
 * and the peer is told so, unless it has exactly the totals that were agreed on: then nothing is
 * missing, and equality is final.
 *
 * <p>Not thread-safe.
 */
final class Reconciliation {

    final Side side;
    final long window;
    final OwnMultiset own = new OwnMultiset();
    final PeerView peer = new PeerView();
    final AwaitedAnswer awaited = new AwaitedAnswer();
    final Patience patience = new Patience();
    final ExchangeStatistics statistics = new ExchangeStatistics();

    private final ReconcileSettings settings;
    private Phase phase = Phase.OPEN;

    /** Number of messages so far. */
    private long serial;

    private boolean digestDue;
    private boolean filterDue;

    /** Never kept across a checkpoint. */
    private boolean farewellDue;

    Reconciliation(Side side, long window) {
        this.side = side;
        this.settings = side.settings();
        this.window = window;
    }

    /** Continues a stopped exchange from here; its other parts are restored separately. */
    void resume(Phase atPhase, long atSerial, boolean isDigestDue, boolean isFilterDue) {
        phase = atPhase;
        serial = atSerial;
        digestDue = isDigestDue;
        filterDue = isFilterDue;
    }

    Phase phase() {
        return phase;
    }

    long serial() {
        return serial;
    }

    boolean isDigestDue() {
        return digestDue;
    }

    boolean isFilterDue() {
        return filterDue;
    }

    ReconcileSettings settings() {
        return settings;
    }

    Totals totals() {
        return own.totals();
    }

    /** Elements that are kept until the peer answers. */
    long waitingElements() {
        return phase == Phase.EXCHANGING ? own.elements() : 0;
    }

    /** Adds one copy of an element from this replica's own input. The window must be open. */
    void add(long hash, byte[] id, Host host) throws Exception {
        Host.Element held = host.get(hash);
        host.put(hash, new Host.Element(held == null ? 1 : held.copies() + 1, id));
        own.raise(held == null, 1, settings.checksumOf(hash));
        if (held == null) {
            statistics.naiveBytes += ElementBatch.bytesOf(id, 1);
        }
    }

    /** The window takes no more records. */
    void close(Host host) throws Exception {
        phase = Phase.EXCHANGING;
        begin();
        if (peer.isGone) {
            conclude(Phase.GAVE_UP, Outcome.PEER_GAVE_UP, host);
        } else {
            judge(false, host);
        }
    }

    private void begin() {
        statistics.elementsBefore = own.elements();
        statistics.copiesBefore = own.copies();
        digestDue = true;
    }

    /** Handles a message of the peer about this window and key group. */
    void receive(Message message, Host host) throws Exception {
        long incarnation = message.head().incarnation();
        if (phase.isOver() || incarnation < peer.incarnation) {
            host.refused(Refusal.OLD);
            return;
        }
        if (message.isFarewell()) {
            onFarewell(incarnation, host);
            return;
        }
        if (incarnation > peer.incarnation) {
            if (phase.isAgreed() && !message.head().totals().equals(totals())) {
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
            case FILTER -> onFilter(message, host);
            case REPAIR -> onRepair(message, host);
        }
    }

    private void onFarewell(long incarnation, Host host) throws Exception {
        switch (phase) {
            case OPEN -> {
                meet(incarnation);
                peer.isGone = true;
            }
            case EXCHANGING -> conclude(Phase.GAVE_UP, Outcome.PEER_GAVE_UP, host);
            case AGREED -> phase = Phase.SETTLED;
            default -> host.refused(Refusal.DUPLICATE);
        }
    }

    /** Handles an incarnation that is not older than the known one. */
    private void meet(long incarnation) {
        boolean isAnother = peer.incarnation != 0 && peer.incarnation != incarnation;
        if (isAnother && phase == Phase.EXCHANGING) {
            awaited.beginAnew();
            filterDue = false;
            digestDue = true;
        }
        peer.beginAnew(incarnation);
        heard();
    }

    private void onDigest(Message.Head head, Host host) throws Exception {
        if (head.serial() <= peer.serial) {
            host.refused(head.serial() == peer.serial ? Refusal.DUPLICATE : Refusal.OLD);
            return;
        }
        remember(head);
        judge(head.retry(), host);
    }

    private void onFilter(Message message, Host host) throws Exception {
        Message.Head head = message.head();
        if (head.serial() <= peer.filterSerial) {
            host.refused(head.serial() == peer.filterSerial ? Refusal.DUPLICATE : Refusal.OLD);
            return;
        }
        if (message.filter().seed() != settings.seedOf(head.round())) {
            host.refused(Refusal.FOREIGN);
            return;
        }
        peer.filterSerial = head.serial();
        if (head.serial() > peer.serial) {
            remember(head);
        }
        if (phase == Phase.EXCHANGING && !head.totals().equals(totals())) {
            RepairAnswer.to(message, this, host);
        }
        judge(head.retry(), host);
    }

    private void onRepair(Message message, Host host) throws Exception {
        Message.Repair repair = message.repair();
        int of = message.head().round();
        if (phase != Phase.EXCHANGING || of > awaited.round) {
            host.refused(Refusal.OLD);
            return;
        }
        boolean isAwaited = awaited.awaits(of, repair);
        if (isAwaited && awaited.has(repair)) {
            host.refused(Refusal.DUPLICATE);
            return;
        }
        long[] hashes = TakenRepair.hashesOf(repair.elements(), this, host);
        if (hashes == null) {
            host.refused(Refusal.FOREIGN);
            return;
        }
        boolean news = TakenRepair.take(repair.elements(), hashes, of, this, host);
        if (!isAwaited && !news) {
            host.refused(Refusal.OLD);
        }
        heard();
        if (isAwaited && awaited.take(repair)) {
            awaited.nextRound();
            filterDue = false;
            digestDue = true;
        }
        judge(false, host);
    }

    private void remember(Message.Head head) {
        peer.hear(head);
        heard();
    }

    private void heard() {
        patience.heard(settings.retryMillis());
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
        if (!peer.totals.equals(totals())) {
            if (phase == Phase.EXCHANGING) {
                considerFilter(host);
            } else {
                // It was equal once, so this message is older, or the peer has lost its state.
                digestDue |= asked;
            }
        } else if (phase == Phase.EXCHANGING) {
            conclude(peer.phase.isAgreed() ? Phase.SETTLED : Phase.AGREED, Outcome.AGREED, host);
        } else {
            if (peer.phase.isAgreed()) {
                phase = Phase.SETTLED;
            }
            digestDue |= asked && peer.phase != Phase.SETTLED;
        }
    }

    /**
     * Makes a filter due, unless one is outstanding or the peer spoke in an earlier round: then it
     * may lack what it is being sent.
     */
    private void considerFilter(Host host) throws Exception {
        if (awaited.isOutstanding || peer.round < awaited.round) {
            return;
        }
        if (awaited.round >= ReconcileSettings.MAX_ROUNDS) {
            conclude(Phase.GAVE_UP, Outcome.IRRECONCILABLE, host);
            return;
        }
        awaited.isOutstanding = true;
        filterDue = true;
        digestDue = false;
    }

    private void conclude(Phase end, Outcome outcome, Host host) throws Exception {
        phase = end;
        awaited.end();
        filterDue = false;
        digestDue = false;
        // Now rather than at the checkpoint, so that the report counts it.
        if (end.isAgreed()) {
            sendDigest(host);
        } else if (outcome != Outcome.PEER_GAVE_UP) {
            sendFarewell(host);
        }
        host.concluded(statistics.report(this, outcome));
        host.clear();
        patience.waitedMillis = 0;
        heard();
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
            ExchangeStatistics soFar = new ExchangeStatistics();
            soFar.set(statistics.toArray());
            soFar.elementsBefore = own.elements();
            soFar.copiesBefore = own.copies();
            return soFar.report(this, Outcome.UNFINISHED);
        }
        return phase == Phase.EXCHANGING ? statistics.report(this, Outcome.UNFINISHED) : null;
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
            sendFarewell(host);
        }
        patience.waitedMillis += elapsedMillis;
        if (patience.waitedMillis >= settings.ttlMillis()) {
            if (phase == Phase.EXCHANGING) {
                giveUp(Outcome.TIMED_OUT, host);
            } else {
                phase = Phase.FORGOTTEN;
            }
            return;
        }
        retryIfSilent();
        if (filterDue) {
            sendFilter(host);
        } else if (digestDue) {
            sendDigest(host);
        }
    }

    /** There is no more room for it: it has ended, and the peer may lack the last answer. */
    void forget() {
        if (phase.isAgreed()) {
            phase = Phase.FORGOTTEN;
        }
    }

    private void retryIfSilent() {
        if (filterDue || digestDue || phase == Phase.SETTLED || !patience.isOver()) {
            return;
        }
        patience.retry();
        statistics.retries++;
        filterDue = awaited.isOutstanding;
        digestDue = !awaited.isOutstanding;
    }

    private void sendDigest(Host host) throws Exception {
        byte[] bytes =
                MessageFormat.write(
                        new Message(head(MessageKind.DIGEST, awaited.round), null, null));
        statistics.digestBytes += bytes.length;
        host.send(MessageKind.DIGEST, bytes);
        said();
    }

    private void sendFarewell(Host host) throws Exception {
        byte[] bytes = Farewell.message(side, window);
        statistics.digestBytes += bytes.length;
        host.send(MessageKind.DIGEST, bytes);
    }

    private void sendFilter(Host host) throws Exception {
        byte[] bytes = FilterMessage.of(this, host);
        if (bytes == null) {
            conclude(Phase.GAVE_UP, Outcome.TOO_LARGE, host);
            return;
        }
        statistics.filterBytes += bytes.length;
        statistics.filtered += own.elements();
        host.send(MessageKind.FILTER, bytes);
        said();
    }

    private void said() {
        digestDue = false;
        filterDue = false;
        patience.said(settings.retryMillis());
    }

    /** The head of the next message. */
    Message.Head head(MessageKind kind, int ofRound) {
        serial++;
        return new Message.Head(
                kind,
                settings.replicaHash(),
                settings.peerHash(),
                side.incarnation(),
                settings.setup(),
                side.group(),
                window,
                serial,
                patience.isRetrying && kind != MessageKind.REPAIR,
                phase,
                ofRound,
                totals());
    }
}
