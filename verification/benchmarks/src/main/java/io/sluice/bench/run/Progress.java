/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * How far this process's job is: its source and its last operator report here, and the benchmark
 * asks. Time runs from the first record that left a source to the end of the last operator:
 * deployment and teardown of a job are not throughput. One job at a time.
 */
public final class Progress {
    private static volatile Progress current = new Progress(1);

    private final AtomicLong firstNanos = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong lastNanos = new AtomicLong(Long.MIN_VALUE);
    private final LongAdder emitted = new LongAdder();
    private final LongAdder passed = new LongAdder();
    private final int subtasks;
    private final CountDownLatch emitting;
    private final CountDownLatch running;
    private final Map<Long, AtomicInteger> throughBefore = new ConcurrentHashMap<>();

    private Progress(int subtasks) {
        this.subtasks = subtasks;
        emitting = new CountDownLatch(subtasks);
        running = new CountDownLatch(subtasks);
    }

    /** Starts over, for a job whose source and last operator have this many subtasks. */
    public static Progress begin(int subtasks) {
        current = new Progress(subtasks);
        return current;
    }

    public static Progress current() {
        return current;
    }

    /** A subtask of the source emits its first record. */
    public void firstRecord() {
        firstNanos.accumulateAndGet(System.nanoTime(), Math::min);
    }

    /** Records that a source has emitted since it last said so. */
    public void emitted(long records) {
        emitted.add(records);
    }

    /** A subtask of the source has emitted its last record. */
    public void through() {
        emitting.countDown();
    }

    /** A subtask of the source takes part in a checkpoint after its last record. */
    public void throughBefore(long checkpointId) {
        throughBefore.computeIfAbsent(checkpointId, id -> new AtomicInteger()).incrementAndGet();
    }

    /**
     * Whether the barriers of a checkpoint are known to come after all records. A source reports
     * this only after it has sent its barrier, so it may be known only for the next checkpoint.
     */
    public boolean isThroughBefore(long checkpointId) {
        return throughBefore.entrySet().stream()
                .anyMatch(
                        told -> told.getKey() <= checkpointId && told.getValue().get() == subtasks);
    }

    /** Whether the last operator has seen all records in all its subtasks. */
    public boolean hasEnded() {
        return running.getCount() == 0;
    }

    /**
     * A subtask of the last operator has seen all records, of which {@code records} are counted.
     */
    public void ended(long records) {
        lastNanos.accumulateAndGet(System.nanoTime(), Math::max);
        passed.add(records);
        running.countDown();
    }

    /** Records that reached the end. */
    public long passed() {
        return passed.sum();
    }

    /** From the first record that left a source until the last one reached the end. */
    public double seconds() {
        return (lastNanos.get() - firstNanos.get()) / 1e9;
    }

    /** When the last record reached the end, by {@link System#nanoTime()}. */
    public long lastNanos() {
        return lastNanos.get();
    }

    /**
     * Waits for the end, and returns how many records were emitted in each whole second until then.
     *
     * @param whenEmitted run when the source has emitted everything
     * @param failed checked once a second
     */
    public List<Long> awaitEnd(Callable<?> whenEmitted, BooleanSupplier failed, long timeoutSeconds)
            throws Exception {
        List<Long> seconds = new ArrayList<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutSeconds);
        awaitWhole(emitting, seconds, failed, deadline);
        whenEmitted.call();
        awaitWhole(running, seconds, failed, deadline);
        return seconds;
    }

    private void awaitWhole(
            CountDownLatch latch, List<Long> seconds, BooleanSupplier failed, long deadline)
            throws InterruptedException, TimeoutException {
        long before = emitted.sum();
        while (!latch.await(1, TimeUnit.SECONDS)) {
            long now = emitted.sum();
            if (now > before) {
                seconds.add(now - before);
            }
            before = now;
            if (failed.getAsBoolean()) {
                throw new IllegalStateException("the job failed; see the log");
            }
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("the job has not ended in time");
            }
        }
    }
}
