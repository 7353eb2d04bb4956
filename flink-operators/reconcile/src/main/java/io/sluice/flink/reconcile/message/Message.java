/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile.message;

import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.filter.rateless.CodedSymbols;
import io.sluice.filter.rateless.DifferenceSketch;
import io.sluice.flink.reconcile.Repair;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * A fact that one replica tells the other about its multiset for a window and a key group.
 * Multisets only grow once their window is closed, so facts stay true: messages may come late,
 * twice or in any order.
 *
 * @param head what all kinds have
 * @param filter of the multiset, of a {@link MessageKind#FILTER} only
 * @param repair of a {@link MessageKind#REPAIR} only
 * @param symbols of the multiset from the first on, of {@link MessageKind#SYMBOLS} only
 * @param shortage of a {@link MessageKind#SHORTAGE} only
 */
@Internal
public record Message(
        Head head,
        @Nullable MultisetDigest filter,
        @Nullable Repair repair,
        @Nullable CodedSymbols symbols,
        @Nullable Shortage shortage) {

    /** A digest, a filter or a repair. */
    public Message(Head head, @Nullable MultisetDigest filter, @Nullable Repair repair) {
        this(head, filter, repair, null, null);
    }

    /** Coded symbols. */
    public Message(Head head, CodedSymbols symbols) {
        this(head, null, null, symbols, null);
    }

    /** A shortage. */
    public Message(Head head, Shortage shortage) {
        this(head, null, null, null, shortage);
    }

    /**
     * What all kinds of messages have.
     *
     * @param kind decides what follows
     * @param replica hash of the sender's name
     * @param peer hash of the addressee's name
     * @param incarnation of the sender: larger after each start without its state
     * @param setup the sender's
     * @param group the key group, from 0
     * @param window its start, ms
     * @param serial numbers the messages of one sender, window and group, from 1
     * @param retry whether the sender has said this before without an answer, and wants one
     * @param phase the sender's
     * @param round from 0, the sender's; of a repair or shortage, that of the message it answers
     * @param totals of the sender's multiset
     */
    public record Head(
            MessageKind kind,
            long replica,
            long peer,
            long incarnation,
            Setup setup,
            int group,
            long window,
            long serial,
            boolean retry,
            Phase phase,
            int round,
            Totals totals) {}

    /**
     * A part of an answer to a filter.
     *
     * @param answer serial of the answer's first part: the same in all of its parts
     * @param part from 0
     * @param parts of the answer, at least 1
     * @param elements that the filter lacks or has fewer of, certainly or possibly
     */
    public record Repair(long answer, int part, int parts, ElementBatch elements) {}

    /**
     * The answer to coded symbols that do not tell the difference.
     *
     * @param symbols how many they were, at least 1
     * @param sketch of the sender's multiset with the key of the symbols, so that the other side
     *     can estimate how many would suffice; null if no two multisets have them: more would not
     *     help
     */
    public record Shortage(int symbols, @Nullable DifferenceSketch sketch) {

        public boolean isContradictory() {
            return sketch == null;
        }
    }

    /**
     * Whether the sender has given up the window: it accepts and sends nothing more about it. As
     * this is final, it needs no serial number.
     */
    public boolean isFarewell() {
        return head.phase().isOver();
    }

    public MessageKind kind() {
        return head.kind();
    }
}
