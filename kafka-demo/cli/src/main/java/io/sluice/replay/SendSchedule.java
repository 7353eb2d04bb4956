/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.record.PacketRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Turns operations, in the order of the capture, into sends, in the order in which a faulty client
 * makes them.
 *
 * <p>The schedule's clock is the largest capture time so far. A first send comes when the clock
 * reaches its operation's capture time plus its lateness; a retry comes the retry's delay later.
 * Equal times keep the order in which they were scheduled, so the sequence of sends is a function
 * of capture and faults alone.
 *
 * <p>The topic's timestamp of a first send is the operation's capture time (hence out of order by
 * at most the lateness, for a capture that is itself in order), that of a retry the time at which
 * it is sent. The operation's own bytes are the same each time.
 *
 * <p>Memory holds what is waiting: at most the operations of the longest delay. Not thread-safe.
 */
public final class SendSchedule {
    /** Receives the sends, in order. */
    @FunctionalInterface
    public interface Target {
        /**
         * One send.
         *
         * @param operation reused after the call
         * @param timestampNanos the topic's timestamp, in nanoseconds since 1970
         * @param kind first send or retry
         */
        void send(PacketRecord operation, long timestampNanos, SendKind kind) throws IOException;
    }

    private static final int INITIAL_CAPACITY = 1024;

    private final Faults faults;
    private final Target target;

    // A binary heap of (due, sequence); each entry points to a pooled slot.
    private long[] heapDue = new long[INITIAL_CAPACITY];
    private long[] heapSequence = new long[INITIAL_CAPACITY];
    private Pending[] heap = new Pending[INITIAL_CAPACITY];
    private int size;
    private long nextSequence;
    private final List<Pending> free = new ArrayList<>();

    private long clock = Long.MIN_VALUE;
    private int maxWaiting;

    private static final class Pending {
        final PacketRecord operation = new PacketRecord();
        long timestampNanos;
        SendKind kind = SendKind.FIRST;
    }

    /** A schedule that passes its sends to {@code target}. */
    public SendSchedule(Faults faults, Target target) {
        this.faults = faults;
        this.target = target;
    }

    /** Takes the next operation of the capture, and sends what is due by then. */
    public void accept(PacketRecord operation) throws IOException {
        long captureTime = operation.timestampNanos();
        clock = Math.max(clock, captureTime);
        release(clock);
        long id = operation.operationId();
        if (faults.isDropped(id)) {
            return;
        }
        long firstSend = clock + faults.latenessNanos(id);
        if (firstSend == clock) {
            target.send(operation, captureTime, SendKind.FIRST);
        } else {
            schedule(operation, firstSend, captureTime, SendKind.FIRST);
        }
        int retries = faults.retries(id);
        for (int retry = 0; retry < retries; retry++) {
            long due = firstSend + faults.retryDelayNanos(id, retry, retries);
            boolean beyond = retry == retries - 1 && faults.isLastRetryBeyondWindow(id);
            schedule(operation, due, due, beyond ? SendKind.RETRY_BEYOND_WINDOW : SendKind.RETRY);
        }
    }

    /** Sends everything that still waits. */
    public void finish() throws IOException {
        release(Long.MAX_VALUE);
    }

    /** Number of sends that wait now. */
    public int waiting() {
        return size;
    }

    /** The most sends that have waited at one time; this bounds the memory. */
    public int maxWaiting() {
        return maxWaiting;
    }

    private void release(long now) throws IOException {
        while (size > 0 && heapDue[0] <= now) {
            Pending next = heap[0];
            removeFirst();
            target.send(next.operation, next.timestampNanos, next.kind);
            free.add(next);
        }
    }

    private void schedule(PacketRecord operation, long due, long timestampNanos, SendKind kind) {
        Pending pending = free.isEmpty() ? new Pending() : free.remove(free.size() - 1);
        pending.operation.set(operation);
        pending.timestampNanos = timestampNanos;
        pending.kind = kind;
        if (size == heap.length) {
            heapDue = Arrays.copyOf(heapDue, 2 * size);
            heapSequence = Arrays.copyOf(heapSequence, 2 * size);
            heap = Arrays.copyOf(heap, 2 * size);
        }
        siftUp(size++, due, nextSequence++, pending);
        maxWaiting = Math.max(maxWaiting, size);
    }

    private void removeFirst() {
        size--;
        if (size > 0) {
            siftDown(heapDue[size], heapSequence[size], heap[size]);
        }
        heap[size] = null;
    }

    private void siftUp(int from, long due, long sequence, Pending pending) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (!isBefore(due, sequence, parent)) {
                break;
            }
            move(parent, at);
            at = parent;
        }
        put(at, due, sequence, pending);
    }

    private void siftDown(long due, long sequence, Pending pending) {
        int at = 0;
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && isBefore(heapDue[child + 1], heapSequence[child + 1], child)) {
                child++;
            }
            if (!isBefore(heapDue[child], heapSequence[child], due, sequence)) {
                break;
            }
            move(child, at);
            at = child;
        }
        put(at, due, sequence, pending);
    }

    private boolean isBefore(long due, long sequence, int slot) {
        return isBefore(due, sequence, heapDue[slot], heapSequence[slot]);
    }

    private static boolean isBefore(long due, long sequence, long otherDue, long otherSequence) {
        return due < otherDue || (due == otherDue && sequence < otherSequence);
    }

    private void move(int from, int to) {
        put(to, heapDue[from], heapSequence[from], heap[from]);
    }

    private void put(int at, long due, long sequence, Pending pending) {
        heapDue[at] = due;
        heapSequence[at] = sequence;
        heap[at] = pending;
    }
}
