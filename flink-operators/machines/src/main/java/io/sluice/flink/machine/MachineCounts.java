/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

/**
 * Counts what became of events and machines. Each event is followed, illegal, ambiguous, refused or
 * without room. Each machine that began has finished, has timed out, was forgotten, or is held. Not
 * thread-safe.
 */
final class MachineCounts {

    /** What is counted, by its place in what is written. */
    enum Of {
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

        String metric() {
            return metric;
        }
    }

    static final int NUMBERS = Of.values().length;

    private final long[] numbers;

    MachineCounts() {
        this(new long[NUMBERS]);
    }

    /** Takes the numbers over. */
    MachineCounts(long[] numbers) {
        this.numbers = numbers;
    }

    void add(Of of, long count) {
        numbers[of.code] += count;
    }

    void add(MachineCounts other) {
        for (int i = 0; i < NUMBERS; i++) {
            numbers[i] += other.numbers[i];
        }
    }

    long get(Of of) {
        return numbers[of.code];
    }

    long[] numbers() {
        return numbers;
    }
}
