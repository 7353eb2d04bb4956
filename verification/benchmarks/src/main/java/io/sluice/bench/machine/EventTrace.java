/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.machine;

import io.sluice.flink.machine.MachineDefinition;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Events of a number of machines that live at the same time. Each event is of a random one of them,
 * and is one that its state has, or, once in a hundred, one that it does not have. A machine that
 * ends makes room for a new one, and so does one that was idle for the shortest time-to-live: that
 * one times out. So a machine's state before each of its events is known without any store.
 */
final class EventTrace {

    private static final int ILLEGAL_EVERY = 100;

    /** In the shortest time-to-live, a machine has this many events on average. */
    private static final int EVENTS_IN_TIME = 2;

    private final MachineDefinition machine;
    private final double stepMillis;
    private final long shortestMillis;
    private final long[] ids;
    private final short[] events;
    private final short[] states;
    private int finished;
    private int illegal;

    private EventTrace(MachineDefinition machine, int live, int length) {
        this.machine = machine;
        shortestMillis =
                IntStream.range(0, machine.states().size())
                        .filter(machine::isHeld)
                        .mapToLong(state -> machine.timeToLive(state).orElseThrow().toMillis())
                        .min()
                        .orElseThrow();
        stepMillis = (double) shortestMillis / EVENTS_IN_TIME / live;
        ids = new long[length];
        events = new short[length];
        states = new short[length];
    }

    /**
     * Makes a trace.
     *
     * @param live machines at one time, without those that have finished
     * @param length in events
     */
    static EventTrace of(MachineDefinition machine, int live, int length, long seed) {
        EventTrace trace = new EventTrace(machine, live, length);
        trace.fill(live, new SplittableRandom(seed));
        return trace;
    }

    private void fill(int live, SplittableRandom random) {
        int[][] legal = new int[machine.states().size()][];
        int[][] others = new int[legal.length][];
        for (int state = 0; state < legal.length; state++) {
            int from = state;
            legal[state] = which(event -> machine.next(from, event) >= 0);
            others[state] = which(event -> machine.next(from, event) < 0);
        }
        long[] id = random.longs(live).toArray();
        short[] state = new short[live];
        long[] last = new long[live];
        Arrays.fill(state, (short) machine.initial());
        for (int i = 0; i < ids.length; i++) {
            int at = random.nextInt(live);
            long now = millis(i);
            boolean isOver = state[at] != machine.initial() && now - last[at] >= shortestMillis;
            if (isOver) {
                id[at] = random.nextLong();
                state[at] = (short) machine.initial();
            }
            boolean isIllegal = others[state[at]].length > 0 && random.nextInt(ILLEGAL_EVERY) == 0;
            int[] choice = isIllegal ? others[state[at]] : legal[state[at]];
            int event = choice[random.nextInt(choice.length)];
            ids[i] = id[at];
            events[i] = (short) event;
            states[i] = state[at];
            if (isIllegal) {
                illegal++;
                continue;
            }
            state[at] = (short) machine.next(state[at], event);
            last[at] = now;
            boolean hasFinished = machine.isTerminal(state[at]);
            finished += hasFinished ? 1 : 0;
            if (hasFinished || state[at] == machine.initial()) {
                id[at] = random.nextLong();
                state[at] = (short) machine.initial();
            }
        }
    }

    private int[] which(IntPredicate events) {
        return IntStream.range(0, machine.events().size()).filter(events).toArray();
    }

    MachineDefinition machine() {
        return machine;
    }

    int length() {
        return ids.length;
    }

    long id(int i) {
        return ids[i];
    }

    int event(int i) {
        return events[i];
    }

    /** Returns the state of the machine before the event. */
    int state(int i) {
        return states[i];
    }

    long millis(int i) {
        return (long) (i * stepMillis);
    }

    /** Returns how many machines finish. */
    int finished() {
        return finished;
    }

    /** Returns how many events are illegal. */
    int illegal() {
        return illegal;
    }
}
