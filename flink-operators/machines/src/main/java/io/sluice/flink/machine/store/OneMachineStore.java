/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static java.util.Objects.requireNonNull;

import java.io.OutputStream;
import org.apache.flink.annotation.Internal;

/**
 * A store of one machine, for events that come machine by machine: each {@link #find} is about the
 * machine that is held or, after {@link #clear}, about the next one. Not thread-safe.
 */
@Internal
public final class OneMachineStore implements StateStore {

    private final StateTimes times;
    private long hash;
    private int state = ABSENT;

    /** Time of the last event that counts as use. */
    private long usedMillis;

    /** Makes an empty store. */
    public OneMachineStore(StateTimes times) {
        this.times = requireNonNull(times, "times");
    }

    /** Forgets the machine. */
    public void clear() {
        state = ABSENT;
    }

    @Override
    public int find(long machine, long millis, Lookup into, ExpiryListener expired) {
        into.begin(machine, millis);
        hash = machine;
        if (state != ABSENT && millis >= overMillis()) {
            int last = state;
            state = ABSENT;
            expired.expired(hash, last, overMillis(last));
        }
        into.state = state;
        return state;
    }

    @Override
    public Stored put(Lookup found, int next, ExpiryListener expired) {
        boolean isSameClass = state != ABSENT && times.codeOf(state) == times.codeOf(next);
        if (!isSameClass) {
            usedMillis = found.millis;
        } else if (!times.isTerminal(next)) {
            usedMillis = Math.max(usedMillis, found.millis);
        }
        state = next;
        return Stored.YES;
    }

    @Override
    public Stored remove(Lookup found) {
        clear();
        return Stored.YES;
    }

    private long overMillis() {
        return overMillis(state);
    }

    private long overMillis(int ofState) {
        long slice = times.sliceMillis(times.codeOf(ofState));
        return (Math.floorDiv(usedMillis, slice) + times.slices() + 1) * slice;
    }

    @Override
    public void advance(long watermark, long latest, ExpiryListener expired) {
        // The machine's own events tell the time.
    }

    @Override
    public void forEachOpen(ExpiryListener listener) {
        if (state != ABSENT && !times.isTerminal(state)) {
            listener.expired(hash, state, overMillis());
        }
    }

    @Override
    public long machines() {
        return state == ABSENT ? 0 : 1;
    }

    @Override
    public long machines(int ofState) {
        return state == ofState ? 1 : 0;
    }

    @Override
    public double predictedError() {
        return 0;
    }

    @Override
    public long sizeInBytes() {
        return 0;
    }

    @Override
    public void writeTo(OutputStream out) {
        throw new UnsupportedOperationException("there are no checkpoints in BATCH execution");
    }
}
