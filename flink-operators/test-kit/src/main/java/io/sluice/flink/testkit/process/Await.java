/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.process;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.annotation.Internal;

/** Polls until something holds, for as long as a deadline allows. */
@Internal
public final class Await {
    /** Soon at first, because another thread needs microseconds, and rarely once it takes long. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    /** More than any thread of this process takes, on a machine that does something else too. */
    private static final Duration THREAD_LIMIT = Duration.ofMinutes(1);

    private Await() {}

    /** A question that may fail for now: a process that was just killed cannot answer. */
    @FunctionalInterface
    public interface Question<T> {
        T ask() throws IOException, InterruptedException;
    }

    /**
     * Returns the first value that {@code poll} has. A poll that fails is repeated; the error tells
     * why the last one failed.
     *
     * @param what is awaited, for the error
     * @throws IOException if there is none within {@code limit}
     */
    public static <T> T value(String what, Duration limit, Question<Optional<T>> poll)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        long pause = FIRST_PAUSE.toNanos();
        IOException last = null;
        while (true) {
            try {
                Optional<T> value = poll.ask();
                if (value.isPresent()) {
                    return value.get();
                }
            } catch (IOException e) {
                last = e;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(
                        what
                                + ": not within "
                                + limit.toSeconds()
                                + " s"
                                + (last == null ? "" : "; " + last.getMessage()),
                        last);
            }
            TimeUnit.NANOSECONDS.sleep(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE.toNanos());
        }
    }

    /** Waits like {@link #value} until a condition holds. */
    public static void until(String what, Duration limit, Question<Boolean> condition)
            throws IOException, InterruptedException {
        value(what, limit, () -> condition.ask() ? Optional.of(true) : Optional.empty());
    }

    /**
     * Waits until another thread of this process has made a condition hold: for a minute at most.
     */
    public static void until(String what, Question<Boolean> condition)
            throws IOException, InterruptedException {
        until(what, THREAD_LIMIT, condition);
    }
}
