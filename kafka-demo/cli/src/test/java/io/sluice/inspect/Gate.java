/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiter;

/**
 * Lets a source with one subtask emit a given number of records, and then holds it alive, so that a
 * checkpoint falls at a known place.
 *
 * @param <S> type of the source's splits
 */
final class Gate<S extends SourceSplit> implements RateLimiter<S> {

    private static final CompletableFuture<Void> OPEN = CompletableFuture.completedFuture(null);

    private static volatile CountDownLatch reached = new CountDownLatch(0);
    private static volatile long limit;

    private long emitted;

    static void openFor(long records) {
        limit = records;
        reached = new CountDownLatch(1);
    }

    static void awaitClosed() throws InterruptedException {
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
