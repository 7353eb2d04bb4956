/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiter;

/**
 * Lets a source with one subtask emit a given number of records, and then holds it: it stays alive
 * and takes part in checkpoints, so that a savepoint falls at a known place in the input rather
 * than at a time that depends on the machine.
 *
 * @param <S> type of the source's splits
 */
public final class Gate<S extends SourceSplit> implements RateLimiter<S> {

    private static final CompletableFuture<Void> OPEN = CompletableFuture.completedFuture(null);

    private static volatile CountDownLatch reached = new CountDownLatch(0);
    private static volatile long limit;

    private long emitted;

    /** For the next job: how many records it may emit. */
    public static void openFor(long records) {
        limit = records;
        reached = new CountDownLatch(1);
    }

    /** Waits until all of them have been emitted. */
    public static void awaitClosed() throws InterruptedException {
        if (!reached.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the source did not emit " + limit + " records in a minute");
        }
    }

    @Override
    public CompletionStage<Void> acquire(int records) {
        if (emitted >= limit) {
            reached.countDown();
            return new CompletableFuture<>();
        }
        emitted += records;
        return OPEN;
    }
}
