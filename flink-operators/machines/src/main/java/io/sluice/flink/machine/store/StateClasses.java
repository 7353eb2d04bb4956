/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import org.apache.flink.annotation.Internal;

/**
 * The states that are held, in classes: the states of a class share a time-to-live, and are
 * numbered one after the other. Immutable.
 */
@Internal
public final class StateClasses implements Serializable {

    private static final long serialVersionUID = 1L;

    /**
     * One class.
     *
     * @param states how many states it has, at least 1
     * @param timeToLive how long a machine may be idle in them
     * @param isTerminal whether its machines are finished: what trails does not renew them
     */
    public record Of(int states, Duration timeToLive, boolean isTerminal) implements Serializable {}

    private final List<Of> classes;
    private final byte[] codes;
    private final int[] firsts;

    /** Makes the classes; their states are numbered in this order. */
    public StateClasses(List<Of> classes) {
        this.classes = List.copyOf(classes);
        codes = new byte[classes.stream().mapToInt(Of::states).sum()];
        firsts = new int[classes.size()];
        int state = 0;
        for (int code = 0; code < firsts.length; code++) {
            firsts[code] = state;
            for (int i = 0; i < classes.get(code).states(); i++) {
                codes[state++] = (byte) code;
            }
        }
    }

    /** Returns how many states are held. */
    public int states() {
        return codes.length;
    }

    /** Returns how many classes there are. */
    public int count() {
        return firsts.length;
    }

    /** Returns the number of the class of a state. */
    public int codeOf(int state) {
        return codes[state];
    }

    /** Returns the first state of a class. */
    public int firstState(int code) {
        return firsts[code];
    }

    /** Returns the number of states of a class. */
    public int states(int code) {
        return classes.get(code).states();
    }

    /** Returns how long a machine may be idle in the states of a class. */
    public Duration timeToLive(int code) {
        return classes.get(code).timeToLive();
    }

    /** Returns whether the machines of a class are finished. */
    public boolean isTerminal(int code) {
        return classes.get(code).isTerminal();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StateClasses that && classes.equals(that.classes);
    }

    @Override
    public int hashCode() {
        return classes.hashCode();
    }

    @Override
    public String toString() {
        return classes.toString();
    }
}
