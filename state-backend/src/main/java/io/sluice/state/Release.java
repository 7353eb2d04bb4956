/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.util.concurrent.atomic.AtomicBoolean;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases what a task's thread, the owner, uses, exactly once: on request, or after the owner is
 * done. The owner is the thread that creates this object.
 *
 * <p>When a task is cancelled, another thread closes its closeables while its own thread still
 * runs; memory freed under that thread would crash the process.
 */
final class Release {

    private static final Logger LOG = LoggerFactory.getLogger(Release.class);

    private final Thread owner = Thread.currentThread();
    private final Runnable action;
    private final AtomicBoolean isDone = new AtomicBoolean();

    /** Waits for the owner's end; null if there is no need. Guarded by this. */
    @Nullable private Thread watcher;

    Release(Runnable action) {
        this.action = action;
    }

    /** Called by the owner, or by a thread that knows that the owner is done. */
    void now() {
        if (isDone.compareAndSet(false, true)) {
            stopWatching();
            action.run();
        }
    }

    /**
     * Releases immediately if called by the owner, which must not use it afterwards; otherwise
     * after the owner's end.
     */
    void whenOwnerIsDone() {
        if (Thread.currentThread() == owner) {
            now();
        } else {
            watch();
        }
    }

    private synchronized void watch() {
        if (watcher == null && !isDone.get()) {
            watcher = new Thread(this::awaitOwner, "cascade-release");
            watcher.setDaemon(true);
            watcher.start();
        }
    }

    private synchronized void stopWatching() {
        if (watcher != null && watcher != Thread.currentThread()) {
            watcher.interrupt();
        }
    }

    private void awaitOwner() {
        try {
            owner.join();
        } catch (InterruptedException e) {
            // It was released.
            return;
        }
        try {
            now();
        } catch (RuntimeException e) {
            LOG.warn("State of a task that has ended could not be released.", e);
        }
    }
}
