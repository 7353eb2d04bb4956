/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.machine.StateTimes;
import java.io.OutputStream;

/**
 * A store of one flow, for packets that come flow by flow: each {@link #find} is about the flow
 * that is held or, after {@link #clear}, about the next one. Not thread-safe.
 */
final class OneFlowStore implements FlowStore {

    private final StateTimes times;
    private long hash;
    private int state = ABSENT;

    /** Time of the last packet that counts as use. */
    private long usedMillis;

    OneFlowStore(StateTimes times) {
        this.times = requireNonNull(times, "times");
    }

    /** Forgets the flow. */
    void clear() {
        state = ABSENT;
    }

    @Override
    public int find(long flow, long millis, FlowLookup into, ExpiryListener expired) {
        into.begin(flow, millis);
        hash = flow;
        if (state != ABSENT && millis >= overMillis()) {
            int last = state;
            state = ABSENT;
            expired.expired(hash, last, overMillis(last));
        }
        into.state = state;
        return state;
    }

    @Override
    public Stored put(FlowLookup found, int next, ExpiryListener expired) {
        boolean isSameClass = state != ABSENT && times.codeOf(state) == times.codeOf(next);
        if (!isSameClass) {
            usedMillis = found.millis;
        } else if (!times.isTerminal(next)) {
            usedMillis = Math.max(usedMillis, found.millis);
        }
        state = next;
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
        // The flow's own packets tell the time.
    }

    @Override
    public void forEachOpen(ExpiryListener listener) {
        if (state != ABSENT && !times.isTerminal(state)) {
            listener.expired(hash, state, overMillis());
        }
    }

    @Override
    public long flows() {
        return state == ABSENT ? 0 : 1;
    }

    @Override
    public long flows(int ofState) {
        return state == ofState ? 1 : 0;
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
