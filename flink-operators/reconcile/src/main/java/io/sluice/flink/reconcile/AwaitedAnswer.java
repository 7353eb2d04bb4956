/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.message.Message;
import java.util.BitSet;

/** The answer to the filter of the present round, as its parts come. Not thread-safe. */
final class AwaitedAnswer {

    private int round;
    private boolean isOutstanding;

    /** The answer whose parts are coming, and the parts that came. */
    private long answer;

    private BitSet parts;

    AwaitedAnswer() {
        this(0, false, 0, new long[0]);
    }

    /**
     * @param parts a bit for each part that came
     */
    AwaitedAnswer(int round, boolean isOutstanding, long answer, long[] parts) {
        this.round = round;
        this.isOutstanding = isOutstanding;
        this.answer = answer;
        this.parts = BitSet.valueOf(parts);
    }

    /** A filter of this round is to be sent. */
    void ask() {
        isOutstanding = true;
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
    }

    void beginAnew() {
        end();
        round = 0;
    }

    /** Filters that were completely answered. */
    int round() {
        return round;
    }

    /** Whether a filter of this round is due, or was sent and is not completely answered. */
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
