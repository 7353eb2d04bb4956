/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import io.sluice.filter.quotient.QuotientMaplet;

/**
 * How many fingerprints tell the machines of a {@link FingerprintStore} apart, and how large its
 * table is. Pure functions of the machines and the error.
 *
 * <p>Two machines that share a fingerprint are one machine. With n machines in m fingerprints a new
 * machine is taken for a held one with probability n / m; in its life it meets about as many new
 * ones. So of all events at most 2 n / m are answered with a wrong state.
 *
 * @param fingerprints of a store
 * @param ages of its machines
 */
record FingerprintPlan(long fingerprints, StateAges ages) {

    /** A block of quotients: fewer would leave slots of it unused. */
    private static final int LEAST_QUOTIENTS = 48;

    /** At least one bit of a fingerprint is stored. */
    static final int LEAST_FINGERPRINTS = 2 * LEAST_QUOTIENTS;

    /** More machines in one key group are not planned for. */
    private static final double MOST_MACHINES = 1L << 34;

    /** Room for what key groups have by chance beyond their share: this many standard errors. */
    private static final int DEVIATIONS = 3;

    /**
     * Returns the plan.
     *
     * @param machines of a store, on average
     * @param error share of events that may be answered with a wrong state
     */
    static FingerprintPlan of(double machines, double error, StateAges ages) {
        double bounded = Math.min(MOST_MACHINES, Math.max(1, machines));
        long blocks = QuotientMaplet.quotientsFor(withRoom(bounded)) / LEAST_QUOTIENTS + 1;
        long quotients = blocks * LEAST_QUOTIENTS;
        long fingerprints = 2 * quotients;
        while (error(bounded, fingerprints) > error
                && 2 * fingerprints <= QuotientMaplet.MAX_FINGERPRINTS) {
            fingerprints *= 2;
        }
        return new FingerprintPlan(fingerprints, ages);
    }

    /** Returns the machines that a table has room for if it is made for some on average. */
    static long withRoom(double machines) {
        return (long) Math.ceil(machines + DEVIATIONS * Math.sqrt(machines));
    }

    /** Returns the share of events that are answered with a wrong state, at most. */
    static double error(double machines, long fingerprints) {
        return Math.min(1, 2 * machines / fingerprints);
    }

    /** Returns the share of events that are answered with a wrong state, at most. */
    double error(double machines) {
        return error(machines, fingerprints);
    }

    /** Returns the bits of a fingerprint that the smallest table stores. */
    int mostRemainderBits() {
        int bits = 1;
        while (quotients(bits + 1) >= LEAST_QUOTIENTS) {
            bits++;
        }
        return bits;
    }

    /** Returns the bits that the smallest table for some machines stores; 0 if there is none. */
    int remainderBits(double machines) {
        int bits = mostRemainderBits();
        while (bits > 0 && QuotientMaplet.LOAD * quotients(bits) < machines) {
            bits--;
        }
        return bits;
    }

    private long quotients(int remainderBits) {
        return ((fingerprints - 1) >>> remainderBits) + 1;
    }

    /** Returns the bytes of a table of some machines; the greatest long if there is none. */
    long bytes(double machines) {
        return tableBytes(remainderBits(machines));
    }

    /**
     * Returns the bytes of a table that stores some bits of a fingerprint; the greatest long if
     * there is none.
     */
    long tableBytes(int remainderBits) {
        if (remainderBits < 1 || quotients(remainderBits) > QuotientMaplet.MAX_QUOTIENTS) {
            return Long.MAX_VALUE;
        }
        return QuotientMaplet.sizeInBytes(fingerprints, remainderBits, ages.values());
    }

    /** Returns an empty table. */
    QuotientMaplet create(int remainderBits) {
        return QuotientMaplet.of(fingerprints, remainderBits, ages.values());
    }
}
