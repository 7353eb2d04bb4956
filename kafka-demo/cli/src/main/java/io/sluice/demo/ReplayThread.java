/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.replay.ReplayOptions;
import io.sluice.replay.TraceReplayer;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A replay on its own thread, held back at {@link Stages}. Thread-safe. */
final class ReplayThread implements AutoCloseable {
    private static final long POLL_MILLIS = 10;

    private final Path capture;
    private final ReplayOptions options;
    private final Stages stages = new Stages();
    private final CompletableFuture<Truth> truth = new CompletableFuture<>();
    private final Thread thread = new Thread(this::run, "sluice-replay");

    ReplayThread(Path capture, ReplayOptions options) {
        this.capture = capture;
        this.options = options;
        thread.setDaemon(true);
    }

    private void run() {
        try {
            TraceReplayer replayer = new TraceReplayer(options, progress -> {}, stages::pass);
            truth.complete(replayer.replay(capture));
        } catch (IOException | RuntimeException e) {
            truth.completeExceptionally(e);
        }
    }

    /** Starts sending, up to the first mark. */
    void start(long limit) {
        stages.openUpTo(limit);
        thread.start();
    }

    /** Moves the mark. */
    void openUpTo(long limit) {
        stages.openUpTo(limit);
    }

    /** Sends everything that is left. */
    void open() {
        stages.open();
    }

    /** Waits until the replay is at the mark, or has ended because there was less to send. */
    void awaitMark(long mark, Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!stages.hasReached(mark) && !truth.isDone()) {
            if (System.nanoTime() > deadline) {
                throw new IOException(
                        "the replay did not send "
                                + mark
                                + " records within "
                                + limit.toSeconds()
                                + " s");
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for the replay", e);
            }
        }
        try {
            throwIfFailed();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Waits for the end of the replay, and returns what it sent. */
    Truth await(Duration limit) throws IOException {
        try {
            return truth.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the replay", e);
        } catch (TimeoutException e) {
            throw new IOException("the replay has not ended within " + limit.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw asIo(e.getCause());
        }
    }

    void throwIfFailed() {
        if (truth.isCompletedExceptionally()) {
            throw new UncheckedIOException(asIo(truth.handle((result, failure) -> failure).join()));
        }
    }

    private static IOException asIo(Throwable failure) {
        return failure instanceof IOException io
                ? io
                : new IOException(failure.toString(), failure);
    }

    /** Ends the replay if it still runs. */
    @Override
    public void close() {
        stages.end();
    }
}
