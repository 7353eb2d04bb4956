/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import java.util.concurrent.CompletableFuture;

/** How far a {@link GatedSource} may go, and how far it has gone. Thread-safe: all methods lock. */
final class Gate {
    private long admitted;
    private long position;
    private CompletableFuture<Void> more = new CompletableFuture<>();

    /** Lets records before {@code end} pass. */
    void admit(long end) {
        CompletableFuture<Void> waiting;
        synchronized (this) {
            admitted = Math.max(admitted, end);
            waiting = more;
            more = new CompletableFuture<>();
        }
        waiting.complete(null);
    }

    synchronized long admitted() {
        return admitted;
    }

    synchronized boolean admits(long record) {
        return record < admitted;
    }

    /** Done when {@code record} may pass. */
    synchronized CompletableFuture<Void> whenAdmitted(long record) {
        return record < admitted ? CompletableFuture.completedFuture(null) : more;
    }

    /** The source tells which record comes next; after a failure it is an earlier one. */
    synchronized void at(long next) {
        position = next;
    }

    synchronized long position() {
        return position;
    }
}
