/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.filter.KeyValueFilter;
import java.util.SplittableRandom;

/**
 * TCP-like connections that live, die and are replaced by others: SYN, established, two states of
 * closing, waiting, gone, with mean dwell times of 3, 80, 4, 5 and 8 steps.
 *
 * <p>A filter is changed as by a job that knows nothing else: its answer is taken for the old
 * state. If it does not know, the change is skipped; a connection that cannot be deleted stays in
 * the filter for ever, a zombie. Callers that know the old state may pass it instead.
 */
final class Churn {

    private static final double[] DWELL = {3, 80, 4, 5, 8};

    /** Mean steps of a life. */
    static final int STEPS = 100;

    static final Workload STATES = new Workload("churn", 3, 80, 4, 5, 8, 0, 0, 0, 0, 0, 0);

    private static final long ABSENT = 1L << 40;

    private final KeyValueFilter filter;
    private final boolean callerKnows;
    private final long seed;
    private final SplittableRandom random;
    private final long[] keys;
    private final int[] states;
    private long nextKey;
    private int zombies;

    Churn(KeyValueFilter filter, int flows, boolean callerKnows, long seed) {
        this.filter = filter;
        this.callerKnows = callerKnows;
        this.seed = seed;
        random = new SplittableRandom(seed);
        keys = new long[flows];
        states = STATES.draw(flows, random);
        for (int i = 0; i < flows; i++) {
            keys[i] = Workload.key(seed, nextKey++);
            filter.insert(keys[i], states[i]);
        }
    }

    /** One step of all flows. */
    void step() {
        for (int i = 0; i < keys.length; i++) {
            if (random.nextDouble() * DWELL[states[i]] < 1) {
                move(i);
            }
        }
    }

    private void move(int i) {
        int known = callerKnows ? states[i] : filter.query(keys[i]);
        if (states[i] < DWELL.length - 1) {
            states[i]++;
            if (known >= 0) {
                filter.update(keys[i], known, states[i]);
            }
            return;
        }
        if (known < 0 || !filter.delete(keys[i], known)) {
            zombies++;
        }
        keys[i] = Workload.key(seed, nextKey++);
        states[i] = 0;
        filter.insert(keys[i], 0);
    }

    /**
     * What the filter answers now, as shares of the flows.
     *
     * @param ambiguous live flows whose state is ambiguous or denied
     * @param wrong live flows with another state, because an earlier update was not possible
     * @param zombies keys that are in the filter for ever
     * @param falsePositives share of the same number of absent keys that get a value
     */
    record Rates(double ambiguous, double wrong, double zombies, double falsePositives) {
        double total() {
            return ambiguous + wrong + falsePositives;
        }
    }

    Rates rates() {
        int ambiguous = 0;
        int wrong = 0;
        int falsePositives = 0;
        for (int i = 0; i < keys.length; i++) {
            int found = filter.query(keys[i]);
            ambiguous += found < 0 ? 1 : 0;
            wrong += found >= 0 && found != states[i] ? 1 : 0;
            int absent = filter.query(Workload.key(seed, ABSENT + i));
            falsePositives += absent >= 0 ? 1 : 0;
        }
        double all = keys.length;
        return new Rates(ambiguous / all, wrong / all, zombies / all, falsePositives / all);
    }
}
