/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.sample.IdSample;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.ExpiryListener;
import io.sluice.flink.machine.store.Lookup;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StateTimes;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.WhenFull;

/**
 * Measures the error of an approximate store in production: it follows one in many keys, chosen by
 * hash as by an {@link IdSample}, in an exact store, through the same definition. An event is
 * answered wrongly if the store gives another state than the exact one, or none, for whatever
 * reason: shared fingerprints, ambiguous filters, lack of room.
 *
 * <p>It is not part of a checkpoint. After a restore it begins anew: until all machines of before
 * have been used or have timed out, an event of one that it does not know does not count, and the
 * machine is taken over, in the state that the store has for it, by the first event that is a use.
 * So the figures are those since the subtask started, or since the sample last became coarser:
 * without room for its machines it begins anew with half of the keys.
 *
 * <p>Cost: a multiplication and a comparison for keys outside the sample, a lookup for the others.
 * Not thread-safe.
 */
final class MachineShadow {

    /** How many keys there are for each that is followed exactly, at first. */
    static final long ONE_IN = 256;

    /** Nothing is known of when the machines of before have timed out. */
    private static final long NOT_KNOWN = Long.MAX_VALUE;

    private static final ExpiryListener IGNORED =
            new ExpiryListener() {
                @Override
                public void expired(long hash, int state, long millis) {
                    // The store itself reports machines.
                }

                @Override
                public void expired(int state, long count) {
                    // As above.
                }
            };

    private final MachineDefinition machine;
    private final StateTimes times;
    private final long capBytes;
    private final Lookup found = new Lookup();
    private StateStore exact;
    private long oneIn = ONE_IN;

    /** Before this watermark, machines of before may be held that it does not know. */
    private long knowsFrom;

    /** The latest time of an event since it began. */
    private long latestSeen = Long.MIN_VALUE;

    private long events;
    private long wrong;

    /**
     * Makes an empty sample.
     *
     * @param capBytes of the machines that are followed exactly
     * @param isRestored whether the store may hold machines
     */
    MachineShadow(MachineDefinition machine, StateTimes times, long capBytes, boolean isRestored) {
        this.machine = requireNonNull(machine, "machine");
        this.times = requireNonNull(times, "times");
        this.capBytes = capBytes;
        exact = empty();
        knowsFrom = isRestored ? NOT_KNOWN : Long.MIN_VALUE;
    }

    private StateStore empty() {
        return new ExactStore(times, new StoreMemory(capBytes, WhenFull.IGNORE));
    }

    /** Returns whether a key belongs to the sample. */
    boolean contains(long id) {
        return IdSample.chooses(oneIn, id);
    }

    /**
     * Follows an event of a key of the sample.
     *
     * @param event its number, or negative if the machine does not have it
     * @param answered the state in which the store had the machine before the event; negative if it
     *     could not tell
     */
    void follow(long id, int event, long millis, int answered) {
        latestSeen = Math.max(latestSeen, millis);
        int state = exact.find(id, millis, found, IGNORED);
        int from = state == StateStore.ABSENT ? machine.initial() : state;
        if (state == StateStore.ABSENT && knowsFrom != Long.MIN_VALUE && answered >= 0) {
            from = answered;
        } else {
            events++;
            wrong += answered == from ? 0 : 1;
        }
        int to = event < 0 ? MachineDefinition.ILLEGAL : machine.next(from, event);
        if (to == MachineDefinition.ILLEGAL
                || (state == StateStore.ABSENT && staysEnded(from, to))) {
            // The time of last use stays too, and of one that it does not know it is not known.
            return;
        }
        StateStore.Stored stored =
                machine.isHeld(to) ? exact.put(found, to, IGNORED) : exact.remove(found);
        if (stored == StateStore.Stored.NO_ROOM) {
            beginAnew();
        }
    }

    /** Whether an event trails an ended machine, so that the end is still its time of last use. */
    private boolean staysEnded(int from, int to) {
        return machine.isHeld(from)
                && machine.isHeld(to)
                && times.isTerminal(from)
                && times.codeOf(from) == times.codeOf(to);
    }

    private void beginAnew() {
        oneIn *= 2;
        exact = empty();
        knowsFrom = NOT_KNOWN;
        latestSeen = Long.MIN_VALUE;
        events = 0;
        wrong = 0;
    }

    /** Drops machines as a store does. */
    void advance(long watermark, long latest) {
        exact.advance(watermark, latest, IGNORED);
        if (knowsFrom == NOT_KNOWN) {
            // A partition may be ahead. In a slice at the end of the time-to-live, a machine has
            // timed out.
            long last = Math.max(watermark, Math.min(latest, latestSeen));
            knowsFrom = last + times.longestMillis() / times.slices() * (times.slices() + 2L);
        } else if (watermark >= knowsFrom) {
            knowsFrom = Long.MIN_VALUE;
        }
    }

    /** Returns how many events were watched, and how many of them were answered wrongly. */
    MeasuredError error() {
        return new MeasuredError(events, wrong);
    }

    /** Returns the bytes of the sample. */
    long sizeInBytes() {
        return exact.sizeInBytes();
    }
}
