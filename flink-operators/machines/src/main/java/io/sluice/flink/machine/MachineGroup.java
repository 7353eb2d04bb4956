/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.machine.MachineCounts.Of;
import io.sluice.flink.machine.store.ExpiryListener;
import io.sluice.flink.machine.store.Lookup;
import io.sluice.flink.machine.store.StateStore;
import org.apache.flink.annotation.Internal;

/**
 * The machines of a key group. What is reported has been stored: if a store cannot keep the new
 * state, the event has no effect at all. Nothing is allocated per event. Not thread-safe.
 */
@Internal
public final class MachineGroup implements FollowingOperator.Group {

    /** Is told about machines by their hashes, with no event at hand. */
    @FunctionalInterface
    public interface Over {
        void over(long id, int state, long millis);
    }

    private final MachineDefinition machine;
    private final StateStore store;
    private final MachineCounts counts;
    private final ExpiryListener expired;
    private final Lookup found = new Lookup();
    private int from;
    private int to;

    MachineGroup(MachineDefinition machine, StateStore store, MachineCounts counts, Over timedOut) {
        this(machine, store, counts, timedOut, (state, machines) -> {});
    }

    /**
     * Makes a group of the machines that a store holds.
     *
     * @param timedOut is told about machines that time out, if the store knows their hashes
     * @param counted is told about the others
     */
    public MachineGroup(
            MachineDefinition machine,
            StateStore store,
            MachineCounts counts,
            Over timedOut,
            Counted counted) {
        this.machine = requireNonNull(machine, "machine");
        this.store = requireNonNull(store, "store");
        this.counts = requireNonNull(counts, "counts");
        this.expired =
                open(
                        (id, state, millis) -> {
                            counts.add(Of.TIMED_OUT, 1);
                            timedOut.over(id, state, millis);
                        },
                        (state, machines) -> {
                            counts.add(Of.TIMED_OUT, machines);
                            counted.count(state, machines);
                        });
    }

    /** Counts machines by their state. */
    @FunctionalInterface
    public interface Counted {
        void count(int state, long machines);
    }

    /** Leaves out machines that have finished: they were reported. */
    private ExpiryListener open(Over known, Counted unknown) {
        return new ExpiryListener() {
            @Override
            public void expired(long hash, int state, long millis) {
                if (!machine.isTerminal(state)) {
                    known.over(hash, state, millis);
                }
            }

            @Override
            public void expired(int state, long count) {
                if (!machine.isTerminal(state)) {
                    unknown.count(state, count);
                }
            }
        };
    }

    /**
     * Follows an event; {@link #from} and {@link #to} then say what it did.
     *
     * @param id hash of the key, uniform over 64 bits
     * @param event its number, or negative if the machine does not have it
     * @return false if the state could not be told, or not be changed; see the counts
     */
    public boolean follow(long id, int event, long millis) {
        counts.add(Of.EVENTS, 1);
        int state = store.find(id, millis, found, expired);
        from = state == StateStore.ABSENT ? machine.initial() : state;
        if (isAmbiguous()) {
            counts.add(Of.AMBIGUOUS, 1);
            return false;
        }
        to = event < 0 ? MachineDefinition.ILLEGAL : machine.next(from, event);
        if (isIllegal()) {
            counts.add(Of.ILLEGAL, 1);
            return true;
        }
        StateStore.Stored stored =
                machine.isHeld(to) ? store.put(found, to, expired) : store.remove(found);
        switch (stored) {
            case YES -> {
                counts.add(Of.BEGAN, begins() ? 1 : 0);
                counts.add(Of.FINISHED, finishes() ? 1 : 0);
                return true;
            }
            case NO_ROOM -> counts.add(Of.WITHOUT_ROOM, 1);
            case REFUSED -> counts.add(Of.REFUSED, 1);
        }
        return false;
    }

    /** Returns whether the state before the event could not be told. */
    boolean isAmbiguous() {
        return from == StateStore.AMBIGUOUS;
    }

    /** Returns the state before the event, unless it was ambiguous. */
    public int from() {
        return from;
    }

    /** Returns the state after the event, unless it was illegal. */
    public int to() {
        return to;
    }

    /** Returns whether the event had no transition. */
    boolean isIllegal() {
        return to == MachineDefinition.ILLEGAL;
    }

    /** Returns whether the event began a machine. */
    boolean begins() {
        return to != machine.initial()
                && (from == machine.initial()
                        || (machine.isTerminal(from) && !machine.isTerminal(to)));
    }

    /** Returns whether the event finished a machine. */
    boolean finishes() {
        return machine.isTerminal(to) && !machine.isTerminal(from);
    }

    @Override
    public void advance(long watermark, long latest) {
        store.advance(watermark, latest, expired);
    }

    /** Reports all machines that have not finished; they are still held. */
    public void forEachOpen(Over open, Counted counted) {
        store.forEachOpen(
                open(
                        (id, state, millis) -> {
                            counted.count(state, 1);
                            open.over(id, state, millis);
                        },
                        counted));
    }

    MachineDefinition machine() {
        return machine;
    }

    @Override
    public StateStore store() {
        return store;
    }

    public MachineCounts counts() {
        return counts;
    }
}
