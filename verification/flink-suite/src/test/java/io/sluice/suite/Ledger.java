/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What the oracles of this JVM have seen. Static: backends are made in task threads of clusters
 * that tests start, and a job that restarts after an error must not take it along.
 */
public final class Ledger {

    private static final AtomicLong BACKENDS = new AtomicLong();
    private static final AtomicLong RESTORED = new AtomicLong();
    private static final AtomicLong SNAPSHOTS = new AtomicLong();
    private static final AtomicLong CANARIES = new AtomicLong();
    private static final AtomicLong MEMBERSHIPS = new AtomicLong();
    private static final AtomicLong ASKED = new AtomicLong();
    private static final AtomicLong MARKED = new AtomicLong();
    private static final AtomicLong DENIED = new AtomicLong();
    private static final AtomicLong FALSE_POSITIVES = new AtomicLong();

    private Ledger() {}

    /** A keyed backend was made, from a checkpoint or empty. */
    public static void backendMade(boolean isRestored) {
        BACKENDS.incrementAndGet();
        if (isRestored) {
            RESTORED.incrementAndGet();
        }
    }

    /** A checkpoint or savepoint of a keyed backend has begun. */
    public static void snapshotTaken() {
        SNAPSHOTS.incrementAndGet();
    }

    /** The suite's own states were made in a keyed backend. */
    public static void canaryMade() {
        CANARIES.incrementAndGet();
    }

    /** A state of the test itself went into a filter. */
    public static void membershipStateMade() {
        MEMBERSHIPS.incrementAndGet();
    }

    /**
     * A filter has answered.
     *
     * @param mustBeReported the key is marked, and has not expired
     * @param mayBeReported the key is marked, or was and has expired
     * @throws DeniedMarkError if a mark was denied
     */
    public static void asked(
            String state, boolean mustBeReported, boolean mayBeReported, boolean isReported) {
        ASKED.incrementAndGet();
        if (mustBeReported) {
            MARKED.incrementAndGet();
            if (!isReported) {
                DENIED.incrementAndGet();
                DeniedMarkError error = new DeniedMarkError(state);
                throw error;
            }
        } else if (isReported && !mayBeReported) {
            FALSE_POSITIVES.incrementAndGet();
        }
    }

    public static Counts counts() {
        return new Counts(
                BACKENDS.get(),
                RESTORED.get(),
                SNAPSHOTS.get(),
                CANARIES.get(),
                MEMBERSHIPS.get(),
                ASKED.get(),
                MARKED.get(),
                DENIED.get(),
                FALSE_POSITIVES.get());
    }
}
