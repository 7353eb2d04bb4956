/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.rateless.CodedSymbols;
import io.sluice.filter.rateless.DifferenceSketch;
import io.sluice.filter.rateless.SymbolDecoder;
import io.sluice.filter.rateless.SymbolDecoder.Outcome;
import io.sluice.filter.rateless.SymbolEncoder;
import io.sluice.flink.reconcile.message.ElementBatch;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageFormat;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;
import java.util.List;
import java.util.function.Function;
import javax.annotation.Nullable;

/**
 * Says what a side has to say about a window. At most one message is due: it leaves with the next
 * checkpoint, and until then a better one replaces it. Messages are numbered and counted here. Not
 * thread-safe.
 */
final class Outgoing {

    private final Side side;
    private final long window;
    private final OwnMultiset own;
    private final RepeatTimer patience;
    private final ExchangeStatistics statistics;
    private long serial;
    @Nullable private MessageKind due;

    /**
     * @param serial number of messages so far
     * @param due digest, filter or null
     */
    Outgoing(
            Side side,
            long window,
            OwnMultiset own,
            RepeatTimer patience,
            ExchangeStatistics statistics,
            long serial,
            @Nullable MessageKind due) {
        this.side = side;
        this.window = window;
        this.own = own;
        this.patience = patience;
        this.statistics = statistics;
        this.serial = serial;
        this.due = due;
    }

    /**
     * A digest or a question is to be sent, instead of what was due.
     *
     * @param what {@link MessageKind#FILTER} for any question, coded symbols too
     */
    void demand(MessageKind what) {
        due = what;
    }

    /** Nothing is due any more. */
    void drop() {
        due = null;
    }

    /** If nothing is due and the peer is silent, makes the last message due again. */
    void repeatIfSilent(MessageKind last) {
        if (due == null && patience.isOver()) {
            patience.retry();
            statistics.countRetry();
            due = last;
        }
    }

    void digest(Phase phase, int round, Host host) throws Exception {
        byte[] bytes =
                message(MessageKind.DIGEST, phase, round, head -> new Message(head, null, null));
        statistics.countDigest(bytes);
        host.send(MessageKind.DIGEST, bytes);
        said();
    }

    void farewell(Host host) throws Exception {
        byte[] bytes = GaveUpMessage.message(side, window);
        statistics.countDigest(bytes);
        host.send(MessageKind.DIGEST, bytes);
    }

    /** Sends the coded symbols of a question. */
    void symbols(Phase phase, int round, int count, Host host) throws Exception {
        CodedSymbols symbols = new SymbolEncoder(own.sorted(host), host.newKey()).next(count);
        byte[] bytes =
                message(MessageKind.SYMBOLS, phase, round, head -> new Message(head, symbols));
        statistics.countFilter(bytes, own.elements());
        host.send(MessageKind.SYMBOLS, bytes);
        said();
    }

    /** Sends the filter of a round, unless it is too large for a message: then false. */
    boolean filter(Phase phase, int round, long peerElements, Host host) throws Exception {
        MultisetDigest filter = OwnFilter.of(own, peerElements, round, side.settings(), host);
        if (filter == null) {
            return false;
        }
        byte[] bytes =
                message(MessageKind.FILTER, phase, round, head -> new Message(head, filter, null));
        if (bytes.length > side.settings().maxMessageBytes()) {
            return false;
        }
        statistics.countFilter(bytes, own.elements());
        host.send(MessageKind.FILTER, bytes);
        said();
        return true;
    }

    private void said() {
        due = null;
        patience.said();
    }

    /**
     * Answers a question of the peer, unless an element is too large for a message: then false.
     *
     * @param question a filter or coded symbols
     */
    boolean answer(Message question, Phase phase, Host host) throws Exception {
        statistics.countCompared(own.elements());
        int round = question.head().round();
        CodedSymbols symbols = question.symbols();
        List<ElementBatch> parts;
        if (symbols == null) {
            parts = RepairAnswer.to(question.filter(), own, side.settings(), host);
        } else {
            SortedElements elements = own.sorted(host);
            SymbolDecoder decoder = new SymbolDecoder(elements, symbols.key(), symbols.size());
            Outcome outcome = decoder.accept(symbols);
            if (outcome != Outcome.DECODED) {
                DifferenceSketch sketch =
                        outcome == Outcome.CONTRADICTORY
                                ? null
                                : DifferenceSketch.of(elements, elements.size(), symbols.key());
                shortage(new Message.Shortage(symbols.size(), sketch), phase, round, host);
                return true;
            }
            parts = RepairAnswer.to(decoder.difference(), side.settings(), host);
        }
        if (parts == null) {
            return false;
        }
        long answer = serial + 1;
        for (int i = 0; i < parts.size(); i++) {
            Message.Repair part = new Message.Repair(answer, i, parts.size(), parts.get(i));
            byte[] bytes =
                    message(
                            MessageKind.REPAIR,
                            phase,
                            round,
                            head -> new Message(head, null, part));
            statistics.countRepair(bytes, parts.get(i).size());
            host.send(MessageKind.REPAIR, bytes);
        }
        return true;
    }

    private void shortage(Message.Shortage shortage, Phase phase, int round, Host host)
            throws Exception {
        byte[] bytes =
                message(MessageKind.SHORTAGE, phase, round, head -> new Message(head, shortage));
        statistics.countRepair(bytes, 0);
        host.send(MessageKind.SHORTAGE, bytes);
    }

    private byte[] message(
            MessageKind kind, Phase phase, int round, Function<Message.Head, Message> body) {
        serial++;
        boolean answers = kind == MessageKind.REPAIR || kind == MessageKind.SHORTAGE;
        boolean retry = patience.isRetrying() && !answers;
        Message.Head head = side.head(kind, window, serial, retry, phase, round, own.totals());
        return MessageFormat.write(body.apply(head));
    }

    /** Number of messages so far. */
    long serial() {
        return serial;
    }

    /** Digest, filter, or null. */
    @Nullable
    MessageKind due() {
        return due;
    }
}
