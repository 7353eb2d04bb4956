/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import java.util.BitSet;

/** The answer to the filter of the present round, as its parts come. Not thread-safe. */
final class AwaitedAnswer {

    /** Filters that were completely answered. */
    int round;

    /** Whether a filter of this round is due, or was sent and is not completely answered. */
    boolean isOutstanding;

    /** The answer whose parts are coming, and the parts that came. */
    long answer;

    BitSet parts = new BitSet();

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
}
