/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.message.Message;
import java.util.BitSet;

/**
 * The question of the present round, a filter or coded symbols, and the answer to it, as its parts
 * come. Not thread-safe.
 */
final class AwaitedAnswer {

    private int round;
    private boolean isOutstanding;

    /** The answer whose parts are coming, and the parts that came. */
    private long answer;

    private BitSet parts;

    /** 0 if the question is a filter. */
    private int symbols;

    private Fallback fallback;

    AwaitedAnswer() {
        this(0, false, 0, new long[0]);
    }

    /** With filters only. */
    AwaitedAnswer(int round, boolean isOutstanding, long answer, long[] parts) {
        this(round, isOutstanding, answer, parts, 0, Fallback.NONE);
    }

    /**
     * @param parts a bit for each part that came
     * @param symbols of the question, 0 if it is a filter
     * @param fallback why a question was a filter after coded symbols
     */
    AwaitedAnswer(
            int round,
            boolean isOutstanding,
            long answer,
            long[] parts,
            int symbols,
            Fallback fallback) {
        this.round = round;
        this.isOutstanding = isOutstanding;
        this.answer = answer;
        this.parts = BitSet.valueOf(parts);
        this.symbols = symbols;
        this.fallback = fallback;
    }

    /**
     * A question of this round is to be sent.
     *
     * @param ofSymbols how many it has; 0 for a filter
     */
    void ask(int ofSymbols) {
        isOutstanding = true;
        symbols = ofSymbols;
    }

    /** The question is a filter instead of coded symbols. */
    void fallBack(Fallback why) {
        symbols = 0;
        fallback = why;
    }

    /** Whether a shortage is about the present question. */
    boolean lacks(int ofRound, Message.Shortage shortage) {
        return isOutstanding && ofRound == round && shortage.symbols() == symbols;
    }

    /** Whether a repair is a part of the latest answer; parts of older answers are dropped. */
    boolean awaits(int ofRound, Message.Repair repair) {
        if (!isOutstanding || ofRound != round || repair.answer() < answer) {
            return false;
        }
        if (repair.answer() > answer) {
            answer = repair.answer();
            parts = new BitSet();
        }
        return true;
    }

    boolean has(Message.Repair repair) {
        return parts.get(repair.part());
    }

    /** Takes a part, and returns whether the answer is complete now. */
    boolean take(Message.Repair repair) {
        parts.set(repair.part());
        return parts.cardinality() == repair.parts();
    }

    void nextRound() {
        end();
        round++;
    }

    /** Nothing is awaited any more. */
    void end() {
        isOutstanding = false;
        answer = 0;
        parts = new BitSet();
        symbols = 0;
    }

    void beginAnew() {
        end();
        round = 0;
    }

    /** Symbols of the question; 0 if it is a filter, or none is outstanding. */
    int symbols() {
        return symbols;
    }

    /** Why a question was a filter after coded symbols; the latest reason if there are several. */
    Fallback fallback() {
        return fallback;
    }

    /** Questions that were completely answered. */
    int round() {
        return round;
    }

    /** Whether a question of this round is due, or was sent and is not completely answered. */
    boolean isOutstanding() {
        return isOutstanding;
    }

    /** Serial of the answer whose parts are coming; 0 before any. */
    long answer() {
        return answer;
    }

    /** A bit for each part that came. */
    long[] parts() {
        return parts.toLongArray();
    }
}
