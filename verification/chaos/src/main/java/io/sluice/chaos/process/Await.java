/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Polls until something holds, for as long as a deadline allows. */
public final class Await {
    private static final Duration BETWEEN_POLLS = Duration.ofMillis(200);

    private Await() {}

    /** A question that may fail for now: a process that is just gone cannot answer. */
    @FunctionalInterface
    public interface Question<T> {
        T ask() throws IOException, InterruptedException;
    }

    /**
     * The first value that {@code poll} has. A poll that fails is repeated; the last failure is
     * told.
     *
     * @param what named in the error
     * @throws IOException if there is none within {@code limit}
     */
    public static <T> T value(String what, Duration limit, Question<Optional<T>> poll)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
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
            Thread.sleep(BETWEEN_POLLS.toMillis());
        }
    }

    /** Like {@link #value}, for a condition. */
    public static void until(String what, Duration limit, Question<Boolean> condition)
            throws IOException, InterruptedException {
        value(what, limit, () -> condition.ask() ? Optional.of(true) : Optional.empty());
    }
}
