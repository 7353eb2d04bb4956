/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.annotation.Internal;

/**
 * How long a flow may be idle in a state: states of one class share a timeout. A class is a range
 * of {@link FlowStates}, so a store can number the states of each from 0.
 */
@Experimental
public enum IdleClass {
    /** The handshake is not complete. */
    OPENING(0, FlowStates.SYN, FlowStates.ORIGINATOR_ONLY),

    /** Data may come; includes half-closed connections and connections seen from one side only. */
    OPEN(1, FlowStates.ORIGINATOR_ONLY, FlowStates.CLOSED_FIN),

    /** Ended and reported; trailing packets are absorbed. */
    CLOSED(2, FlowStates.CLOSED_FIN, FlowStates.COUNT);

    /** Number of classes. */
    public static final int COUNT = 3;

    private static final IdleClass[] ALL = values();

    /** Index: a state. */
    private static final byte[] CODE_OF_STATE = new byte[FlowStates.COUNT];

    static {
        for (IdleClass each : ALL) {
            Arrays.fill(CODE_OF_STATE, each.first, each.end, (byte) each.code);
        }
    }

    private final int code;
    private final int first;
    private final int end;

    IdleClass(int code, int first, int end) {
        this.code = code;
        this.first = first;
        this.end = end;
    }

    /**
     * Returns, for each class, roughly how often its states occur on most links. Only half of a
     * class's flows are assumed to be in one of the usual states, though it may be nine in ten:
     * flows end in the rare states, and a filter chosen only for the usual ones cannot tell them
     * apart.
     */
    @Internal
    public static List<double[]> frequencies() {
        List<double[]> frequencies = new ArrayList<>();
        for (IdleClass each : ALL) {
            double[] ofStates = new double[each.states()];
            int[] usual = each.usual();
            Arrays.fill(ofStates, 0.5 / (ofStates.length - usual.length));
            for (int state : usual) {
                ofStates[state - each.first] = 0.5 / usual.length;
            }
            frequencies.add(ofStates);
        }
        return frequencies;
    }

    private int[] usual() {
        return switch (this) {
            case OPENING -> new int[] {FlowStates.SYN, FlowStates.SYN + 1};
            case OPEN -> new int[] {FlowStates.ESTABLISHED, FlowStates.ESTABLISHED + 1};
            case CLOSED -> new int[] {FlowStates.CLOSED_FIN};
        };
    }

    /** The class of a state. */
    public static IdleClass of(int state) {
        return ALL[CODE_OF_STATE[state]];
    }

    /** Persistent number, from 0 to {@link #COUNT} - 1; never changes its meaning. */
    public int code() {
        return code;
    }

    /** The first of its states. */
    public int firstState() {
        return first;
    }

    /** Number of its states. */
    public int states() {
        return end - first;
    }
}
