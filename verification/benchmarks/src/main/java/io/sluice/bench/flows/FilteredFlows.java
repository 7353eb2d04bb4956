/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.KeyValueFilter;
import io.sluice.flink.flow.ConnectionMachine;

/**
 * Follows all packets of a trace with one filter of states, as the paper does, and counts where the
 * result is wrong. The filter knows only its own answers, so errors have consequences.
 *
 * @param packets followed
 * @param falsePositives packets of new flows that were taken for held ones, or ambiguous
 * @param falseNegatives packets of held flows that were denied, or ambiguous
 * @param wrong packets of held flows that were answered with another state
 * @param refused changes that the filter refused, or had no room for
 * @param finAndRst flows for which a FIN and a RST were noticed
 * @param nanos in the loop
 */
record FilteredFlows(
        int packets,
        int falsePositives,
        int falseNegatives,
        int wrong,
        int refused,
        int finAndRst,
        long nanos) {

    static FilteredFlows follow(PacketTrace trace, KeyValueFilter filter) {
        int falsePositives = 0;
        int falseNegatives = 0;
        int wrong = 0;
        int refused = 0;
        int finAndRst = 0;
        long start = System.nanoTime();
        for (int i = 0; i < trace.packets(); i++) {
            long hash = trace.hash(i);
            int found = filter.query(hash);
            int truth = trace.before(i);
            if (found != truth) {
                if (truth == KeyValueFilter.ABSENT) {
                    falsePositives++;
                } else if (found < 0) {
                    falseNegatives++;
                } else {
                    wrong++;
                }
            }
            if (found == KeyValueFilter.AMBIGUOUS) {
                continue;
            }
            int transition = trace.transition(i, found);
            int next = ConnectionMachine.nextState(transition);
            if (store(filter, hash, found, next)) {
                finAndRst += ConnectionMachine.hasBoth(transition) ? 1 : 0;
            } else {
                refused++;
            }
        }
        return new FilteredFlows(
                trace.packets(),
                falsePositives,
                falseNegatives,
                wrong,
                refused,
                finAndRst,
                System.nanoTime() - start);
    }

    private static boolean store(KeyValueFilter filter, long hash, int found, int next) {
        if (found == next) {
            return true;
        }
        if (found != KeyValueFilter.ABSENT) {
            return filter.update(hash, found, next);
        }
        try {
            filter.insert(hash, next);
            return true;
        } catch (FilterFullException e) {
            return false;
        }
    }

    double share(int count) {
        return (double) count / packets;
    }

    /** Packets whose flow was not told right, as a share of all. */
    double totalError() {
        return share(falsePositives + falseNegatives + wrong);
    }

    double millionsPerSecond() {
        return 1e3 * packets / nanos;
    }
}
