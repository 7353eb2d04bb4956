/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import java.io.IOException;
import java.util.BitSet;

/**
 * The exchange about one window of one key group, one replica's half of it. Knows nothing of Flink;
 * what it needs is the {@link Host}'s.
 *
 * <p>After its window has closed, a replica's multiset changes by repairs only, which raise
 * multiplicities to what the peer really has. So both multisets only grow, and never beyond their
 * union at maximum multiplicity. Three things follow, whatever messages are lost, come twice, late
 * or in another order:
 *
 * <ul>
 *   <li>A repair may be taken at any time, any number of times.
 *   <li>If the peer ever had the totals that this side has now, both are at the union: the peer can
 *       since have gained only what this side has, which it had already. Equality is final.
 *   <li>What a message says stays true as long as the sender does not fall back behind it: hence
 *       messages leave with completed checkpoints only.
 * </ul>
 *
 * <p>The course: both send a digest. Who sees another digest than his own sends a filter; who gets
 * a filter answers with what it seems to lack; who has his whole answer begins a round: digest, and
 * if need be another filter with another seed. Equal digests end it, and each side says so until it
 * knows that the other knows. Silence is answered by saying the same again, ever more seldom.
 *
 * <p>Not thread-safe.
 */
final class Reconciliation {

    /** Retries are put off to at most 2^6 times the first delay. */
    private static final int MOST_DOUBLINGS = 6;

    final ReconcileSettings settings;
    final int group;
    final long window;

    Phase phase = Phase.OPEN;
    long elements;
    long copies;
    long checksum;

    /** Messages that were numbered. */
    long serial;

    boolean digestDue;
    boolean filterDue;
    boolean retrying;

    /** Filters that were answered in full. */
    int round;

    /** Whether a filter of this round is due, or sent and not answered in full. */
    boolean outstanding;

    /** The answer of which parts have come, and these. */
    long answer;

    BitSet parts = new BitSet();

    /** The youngest message that says what the peer has; 0 if there was none. */
    long peerSerial;

    Totals peerTotals = new Totals(0, 0, 0);
    int peerRound;
    Phase peerPhase = Phase.OPEN;
    long peerFilterSerial;

    long waitedMillis;
    long retryAtMillis;
    int retries;

    final ExchangeStatistics statistics = new ExchangeStatistics();

    Reconciliation(ReconcileSettings settings, int group, long window) {
        this.settings = settings;
        this.group = group;
        this.window = window;
    }

    Phase phase() {
        return phase;
    }

    Totals totals() {
        return new Totals(elements, copies, checksum);
    }

    /** Elements that are kept until the peer answers. */
    long waitingElements() {
        return phase == Phase.EXCHANGING ? elements : 0;
    }

    /** One copy more of an element, from this replica's own input. The window must be open. */
    void add(long hash, byte[] id, Host host) throws Exception {
        Host.Element held = host.get(hash);
        host.put(hash, new Host.Element(held == null ? 1 : held.copies() + 1, id));
        if (held == null) {
            elements++;
            statistics.naiveBytes += ElementBatch.bytesOf(id, 1);
        }
        copies++;
        checksum += settings.checksumOf(hash);
    }

    /** The window takes no more records. */
    void close(Host host) throws Exception {
        phase = Phase.EXCHANGING;
        statistics.elementsBefore = elements;
        statistics.copiesBefore = copies;
        digestDue = true;
        judge(false, host);
    }

    /** Takes a message of the peer about this window and key group. */
    void receive(Message message, Host host) throws Exception {
        if (phase.isOver()) {
            host.refused(Refusal.OLD);
            return;
        }
        switch (message.kind()) {
            case DIGEST -> onDigest(message.head(), host);
            case FILTER -> onFilter(message, host);
            case REPAIR -> onRepair(message, host);
        }
    }

    private void onDigest(Message.Head head, Host host) throws Exception {
        if (head.serial() <= peerSerial) {
            host.refused(head.serial() == peerSerial ? Refusal.DUPLICATE : Refusal.OLD);
            return;
        }
        remember(head);
        judge(head.retry(), host);
    }

    private void onFilter(Message message, Host host) throws Exception {
        Message.Head head = message.head();
        if (head.serial() <= peerFilterSerial) {
            host.refused(head.serial() == peerFilterSerial ? Refusal.DUPLICATE : Refusal.OLD);
            return;
        }
        if (message.filter().seed() != settings.seedOf(head.round())) {
            host.refused(Refusal.FOREIGN);
            return;
        }
        peerFilterSerial = head.serial();
        if (head.serial() > peerSerial) {
            remember(head);
        }
        if (phase == Phase.EXCHANGING && !head.totals().equals(totals())) {
            Answer.to(message, this, host);
        }
        judge(head.retry(), host);
    }

    private void onRepair(Message message, Host host) throws Exception {
        Message.Repair repair = message.repair();
        int of = message.head().round();
        if (phase != Phase.EXCHANGING || of > round) {
            host.refused(Refusal.OLD);
            return;
        }
        boolean awaited = outstanding && of == round && repair.answer() >= answer;
        if (awaited && repair.answer() > answer) {
            answer = repair.answer();
            parts = new BitSet();
        }
        if (awaited && parts.get(repair.part())) {
            host.refused(Refusal.DUPLICATE);
            return;
        }
        long[] hashes = hashesOf(repair.elements(), host);
        if (hashes == null) {
            host.refused(Refusal.FOREIGN);
            return;
        }
        boolean news = false;
        for (int i = 0; i < hashes.length; i++) {
            news |=
                    raise(
                            hashes[i],
                            repair.elements().id(i),
                            repair.elements().copies(i),
                            of,
                            host);
        }
        if (!awaited && !news) {
            host.refused(Refusal.OLD);
        }
        heard();
        if (awaited) {
            parts.set(repair.part());
            if (parts.cardinality() == repair.parts()) {
                nextRound();
            }
        }
        judge(false, host);
    }

    /** Null if one of them is no id, or of another key group: nothing of it is taken then. */
    private long[] hashesOf(ElementBatch batch, Host host) {
        long[] hashes = new long[batch.size()];
        try {
            for (int i = 0; i < hashes.length; i++) {
                hashes[i] = host.hash(batch.id(i));
                if (settings.setup().groupOf(hashes[i]) != group) {
                    return null;
                }
            }
        } catch (IOException e) {
            return null;
        }
        return hashes;
    }

    private boolean raise(long hash, byte[] id, long multiplicity, int of, Host host)
            throws Exception {
        Host.Element held = host.get(hash);
        long before = held == null ? 0 : held.copies();
        if (multiplicity <= before) {
            return false;
        }
        host.put(hash, new Host.Element(multiplicity, held == null ? id : held.id()));
        elements += held == null ? 1 : 0;
        copies += multiplicity - before;
        checksum += settings.checksumOf(hash) * (multiplicity - before);
        statistics.countRepaired(of);
        host.repaired(id, before, multiplicity);
        return true;
    }

    private void nextRound() {
        outstanding = false;
        filterDue = false;
        answer = 0;
        parts = new BitSet();
        round++;
        digestDue = true;
    }

    private void remember(Message.Head head) {
        peerSerial = head.serial();
        peerTotals = head.totals();
        peerRound = head.round();
        peerPhase = head.phase();
        heard();
    }

    private void heard() {
        retries = 0;
        retryAtMillis = waitedMillis + settings.retryMillis();
    }

    /**
     * Draws the conclusions from what the peer said last.
     *
     * @param asked whether the peer repeats itself and so lacks an answer
     */
    private void judge(boolean asked, Host host) throws Exception {
        if (phase == Phase.OPEN || peerSerial == 0) {
            return;
        }
        if (!peerTotals.equals(totals())) {
            if (phase == Phase.EXCHANGING) {
                considerFilter(host);
            } else {
                // It was equal once, so this is from before, or the peer has lost its state.
                digestDue |= asked;
            }
        } else if (phase == Phase.EXCHANGING) {
            conclude(peerPhase.isAgreed() ? Phase.SETTLED : Phase.AGREED, Outcome.AGREED, host);
        } else {
            if (peerPhase.isAgreed()) {
                phase = Phase.SETTLED;
            }
            digestDue |= asked && peerPhase != Phase.SETTLED;
        }
    }

    /** The peer's of an earlier round may lack what it is being sent. */
    private void considerFilter(Host host) throws Exception {
        if (outstanding || peerRound < round) {
            return;
        }
        if (round >= ReconcileSettings.MAX_ROUNDS) {
            conclude(Phase.GAVE_UP, Outcome.IRRECONCILABLE, host);
            return;
        }
        outstanding = true;
        filterDue = true;
        digestDue = false;
    }

    private void conclude(Phase end, Outcome outcome, Host host) throws Exception {
        phase = end;
        outstanding = false;
        filterDue = false;
        digestDue = false;
        parts = new BitSet();
        if (end.isAgreed()) {
            // Now rather than at the checkpoint, for the report to count it.
            sendDigest(host);
        }
        host.concluded(statistics.report(this, outcome));
        host.clear();
        waitedMillis = 0;
        heard();
    }

    /** Gives up waiting. Does nothing unless the exchange is under way. */
    void giveUp(Outcome outcome, Host host) throws Exception {
        if (phase == Phase.EXCHANGING) {
            conclude(Phase.GAVE_UP, outcome, host);
        }
    }

    /**
     * Says what is due, and again what was not heard. To be called before every checkpoint.
     *
     * @param elapsedMillis since the last call
     */
    void beforeCheckpoint(long elapsedMillis, Host host) throws Exception {
        if (phase == Phase.OPEN || phase.isOver()) {
            return;
        }
        waitedMillis += elapsedMillis;
        if (waitedMillis >= settings.ttlMillis()) {
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

    private void retryIfSilent() {
        if (filterDue || digestDue || phase == Phase.SETTLED || waitedMillis < retryAtMillis) {
            return;
        }
        retrying = true;
        retries = Math.min(retries + 1, MOST_DOUBLINGS);
        statistics.retries++;
        filterDue = outstanding;
        digestDue = !outstanding;
    }

    private void sendDigest(Host host) throws Exception {
        byte[] bytes =
                MessageFormat.write(new Message(head(MessageKind.DIGEST, round), null, null));
        statistics.digestBytes += bytes.length;
        host.send(MessageKind.DIGEST, bytes);
        sent();
    }

    private void sendFilter(Host host) throws Exception {
        byte[] bytes = Filters.message(this, host);
        if (bytes == null) {
            conclude(Phase.GAVE_UP, Outcome.TOO_LARGE, host);
            return;
        }
        statistics.filterBytes += bytes.length;
        statistics.filtered += elements;
        host.send(MessageKind.FILTER, bytes);
        sent();
    }

    private void sent() {
        digestDue = false;
        filterDue = false;
        retrying = false;
        retryAtMillis = waitedMillis + (settings.retryMillis() << retries);
    }

    /** The head of the next message. */
    Message.Head head(MessageKind kind, int ofRound) {
        serial++;
        return new Message.Head(
                kind,
                settings.replicaHash(),
                settings.setup(),
                group,
                window,
                serial,
                retrying && kind != MessageKind.REPAIR,
                phase,
                ofRound,
                totals());
    }
}
