/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.flink.flow.IdleClass;
import io.sluice.flink.machine.store.StateStore;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** The most flows of each class that a store held at one time, and their states then. */
final class FlowPeaks {
    /** Flows by state, numbered from the first of the class. */
    private final Map<IdleClass, long[]> states = new EnumMap<>(IdleClass.class);

    FlowPeaks() {
        for (IdleClass of : IdleClass.values()) {
            states.put(of, new long[of.states()]);
        }
    }

    void look(StateStore store) {
        for (IdleClass of : IdleClass.values()) {
            long[] now = new long[of.states()];
            for (int i = 0; i < now.length; i++) {
                now[i] = store.machines(of.firstState() + i);
            }
            if (Arrays.stream(now).sum() > most(of)) {
                states.put(of, now);
            }
        }
    }

    long most(IdleClass of) {
        return Arrays.stream(states.get(of)).sum();
    }

    /** How often each state occurred; none is zero, because flows change their states. */
    double[] shares(IdleClass of) {
        return Arrays.stream(states.get(of))
                .mapToDouble(flows -> flows + 1.0 / of.states())
                .toArray();
    }
}
