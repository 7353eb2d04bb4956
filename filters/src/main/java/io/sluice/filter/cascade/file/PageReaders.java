/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that read pages for lookups, so that many reads are at the device at once: a device
 * answers 32 of them in little more time than one. Java has no other portable way to have reads
 * overlap. Thread-safe; batches of several callers share the threads.
 */
@Internal
public final class PageReaders implements AutoCloseable {

    /** Concurrent reads at a device; more gain little. */
    public static final int DEFAULT_THREADS = 32;

    private static final long KEEP_ALIVE_SECONDS = 10;

    private final int threads;
    private final ThreadPoolExecutor executor;

    /**
     * @param threads at most; they come when needed and go when idle. 0: callers read alone
     */
    public PageReaders(int threads) {
        if (threads < 0) {
            throw new IllegalArgumentException("threads must not be negative, got " + threads);
        }
        this.threads = threads;
        AtomicInteger number = new AtomicInteger();
        executor =
                new ThreadPoolExecutor(
                        0,
                        Math.max(1, threads),
                        KEEP_ALIVE_SECONDS,
                        TimeUnit.SECONDS,
                        new SynchronousQueue<>(),
                        task -> {
                            Thread thread =
                                    new Thread(
                                            task, "sluice-page-reader-" + number.incrementAndGet());
                            thread.setDaemon(true);
                            return thread;
                        },
                        // All busy: the caller reads more of its batch itself.
                        new ThreadPoolExecutor.DiscardPolicy());
    }

    /** Work that is divided into numbered parts; they do not throw. */
    interface Parts {
        void run(int part);
    }

    /** Runs parts 0 to {@code count - 1}, some on other threads, and returns when all are done. */
    void run(int count, Parts parts) {
        if (count <= 1 || threads == 0) {
            for (int part = 0; part < count; part++) {
                parts.run(part);
            }
            return;
        }
        Batch batch = new Batch(count, parts);
        for (int helpers = Math.min(threads, count - 1); helpers > 0; helpers--) {
            executor.execute(batch);
        }
        batch.run();
        batch.await();
    }

    private static final class Batch implements Runnable {
        private final int count;
        private final Parts parts;
        private final AtomicInteger next = new AtomicInteger();
        private final CountDownLatch unfinished;

        private Batch(int count, Parts parts) {
            this.count = count;
            this.parts = parts;
            unfinished = new CountDownLatch(count);
        }

        @Override
        public void run() {
            for (int part = next.getAndIncrement(); part < count; part = next.getAndIncrement()) {
                try {
                    parts.run(part);
                } finally {
                    unfinished.countDown();
                }
            }
        }

        /** Ignores interrupts until the end: the threads still write into the caller's frames. */
        private void await() {
            boolean interrupted = false;
            while (true) {
                try {
                    unfinished.await();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Releases the threads. Batches that are running are finished by their callers' threads. */
    @Override
    public void close() {
        executor.shutdown();
    }
}
