/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Tracks the record up to which all are acknowledged, although acknowledgements of different
 * partitions come in any order, and the first failure. Records are counted in chunks, so that no
 * object is needed per record.
 *
 * <p>One thread sends and asks; Kafka's thread acknowledges. They share only each chunk's atomic
 * count and the failure.
 */
final class AcknowledgedPrefix {
    private static final int CHUNK_RECORDS = 4096;

    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final Queue<Chunk> open = new ArrayDeque<>();
    private final long first;
    private long sent;
    private long prefix;
    private Chunk current;

    /** Starts at the record numbered {@code first}. */
    AcknowledgedPrefix(long first) {
        this.first = first;
        prefix = first;
        current = new Chunk();
        open.add(current);
    }

    /** The callback for the next record. */
    Callback next() {
        if (current.sent == CHUNK_RECORDS) {
            current = new Chunk();
            open.add(current);
        }
        current.sent++;
        sent++;
        return current;
    }

    /** The number of the first record that is not known to be acknowledged. */
    long prefix() {
        while (!open.isEmpty() && open.peek().isAcknowledged(CHUNK_RECORDS)) {
            open.remove();
            prefix += CHUNK_RECORDS;
        }
        Chunk last = open.peek();
        boolean allButNone = last == null || (open.size() == 1 && last.isAcknowledged(last.sent));
        return allButNone ? first + sent : prefix;
    }

    /** The first failure, or null. */
    Exception failure() {
        return failure.get();
    }

    private final class Chunk implements Callback {
        private final AtomicInteger acknowledged = new AtomicInteger();
        private int sent;

        boolean isAcknowledged(int records) {
            return acknowledged.get() == records;
        }

        @Override
        public void onCompletion(RecordMetadata metadata, Exception exception) {
            if (exception == null) {
                acknowledged.incrementAndGet();
            } else {
                failure.compareAndSet(null, exception);
            }
        }
    }
}
