/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import org.apache.flink.annotation.Internal;

/**
 * Counts what became of events and machines. Each event is followed, illegal, ambiguous, refused or
 * without room. Each machine that began has finished, has timed out, was forgotten, or is held. Not
 * thread-safe.
 */
@Internal
public final class MachineCounts {

    /** What is counted, by its place in what is written. */
    public enum Of {
        EVENTS(0, "events"),
        AMBIGUOUS(1, "ambiguous"),
        REFUSED(2, "refused"),
        WITHOUT_ROOM(3, "withoutRoom"),
        ILLEGAL(4, "illegal"),
        BEGAN(5, "began"),
        FINISHED(6, "finished"),
        TIMED_OUT(7, "timedOut");

        private final int code;
        private final String metric;

        Of(int code, String metric) {
            this.code = code;
            this.metric = metric;
        }

        /** Returns the name of its metric. */
        public String metric() {
            return metric;
        }
    }

    static final int NUMBERS = Of.values().length;

    private final long[] numbers;

    public MachineCounts() {
        this(new long[NUMBERS]);
    }

    /** Takes the numbers over. */
    MachineCounts(long[] numbers) {
        this.numbers = numbers;
    }

    /** Counts. */
    public void add(Of of, long count) {
        numbers[of.code] += count;
    }

    /** Takes a count over. */
    public void set(Of of, long count) {
        numbers[of.code] = count;
    }

    /** Adds what {@code other} counted. */
    public void add(MachineCounts other) {
        for (int i = 0; i < NUMBERS; i++) {
            numbers[i] += other.numbers[i];
        }
    }

    /** Returns a count. */
    public long get(Of of) {
        return numbers[of.code];
    }

    long[] numbers() {
        return numbers;
    }
}
