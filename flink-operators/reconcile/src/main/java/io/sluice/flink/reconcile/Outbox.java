/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.streaming.api.operators.KeyContext;

/**
 * Messages that wait for their checkpoint to complete, in keyed state, numbered in the order in
 * which they were sent.
 *
 * <p><b>When messages leave.</b> A message goes into the outbox together with the state that it
 * describes. When a checkpoint has completed, the messages in it go downstream and leave the
 * outbox. So nothing of a failed checkpoint is ever published, and whatever state the job falls
 * back to, that state contains everything that the job has said. After a restart the outbox is as
 * the checkpoint has it, and the next completed checkpoint publishes the same bytes again, unless
 * they are known to have been written: they leave before the barrier of the next checkpoint, and
 * the sink flushes there. At-least-once is enough for the sink.
 *
 * <p>A stop with a savepoint publishes nothing, as downstream has ended by then. The messages are
 * published after the restart.
 */
final class Outbox {

    /** No checkpoint; checkpoints are numbered from 1. */
    private static final long NONE = 0;

    /** Takes a message that may leave. */
    @FunctionalInterface
    interface Publisher {
        void publish(byte[] message) throws Exception;
    }

    private final MapState<Long, byte[]> messages;

    /** Key groups, by key, that have a message here. */
    private final Set<Integer> filled = new HashSet<>();

    /** Number of the next message. */
    private long next;

    /** For each checkpoint, the end of the message numbers that are in it. */
    private final TreeMap<Long, Long> ends = new TreeMap<>();

    /** The last checkpoint meant to stop the job; the job goes on if it fails. */
    private long stoppingCheckpoint = NONE;

    Outbox(MapState<Long, byte[]> messages) {
        this.messages = messages;
    }

    /** Finds what a restore brought of the key group whose key is set. */
    void restore(Integer key) throws Exception {
        for (long number : messages.keys()) {
            filled.add(key);
            next = Math.max(next, number + 1);
        }
    }

    /** Keeps a message of the key group whose key is set. */
    void send(byte[] message, Integer key) throws Exception {
        messages.put(next, message);
        next++;
        filled.add(key);
    }

    /** All messages so far are in this checkpoint. */
    void begin(long checkpointId) {
        ends.put(checkpointId, next);
    }

    /** This checkpoint is to stop the job: when it completes, nothing can be published. */
    void beginStop(long checkpointId) {
        stoppingCheckpoint = checkpointId;
    }

    /** Publishes the messages that are in a completed checkpoint. */
    void complete(long checkpointId, KeyContext keys, Publisher publisher) throws Exception {
        Map.Entry<Long, Long> end = ends.floorEntry(checkpointId);
        if (end == null || checkpointId == stoppingCheckpoint) {
            return;
        }
        for (Integer key : new ArrayList<>(filled)) {
            keys.setCurrentKey(key);
            for (byte[] message : take(end.getValue(), key)) {
                publisher.publish(message);
            }
        }
        ends.headMap(checkpointId, true).clear();
    }

    /** Takes out the messages with numbers below {@code end}, in order. */
    private List<byte[]> take(long end, Integer key) throws Exception {
        List<Long> numbers = new ArrayList<>();
        boolean more = false;
        for (long number : messages.keys()) {
            if (number < end) {
                numbers.add(number);
            } else {
                more = true;
            }
        }
        // State backends have different orders.
        Collections.sort(numbers);
        List<byte[]> taken = new ArrayList<>();
        for (long number : numbers) {
            taken.add(messages.get(number));
            messages.remove(number);
        }
        if (!more) {
            filled.remove(key);
        }
        return taken;
    }
}
