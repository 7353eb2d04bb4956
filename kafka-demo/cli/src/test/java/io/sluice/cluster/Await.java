/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/** Polls until something holds, for as long as a deadline allows. */
final class Await {
    private static final Duration BETWEEN_POLLS = Duration.ofMillis(100);

    private Await() {}

    /**
     * The first value that {@code poll} returns.
     *
     * @param what named in the error
     * @throws AssertionError if there is none within {@code limit}
     */
    static <T> T value(String what, Duration limit, Callable<Optional<T>> poll) throws Exception {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            Optional<T> value = poll.call();
            if (value.isPresent()) {
                return value.get();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(what + ": not within " + limit.toSeconds() + " s");
            }
            Thread.sleep(BETWEEN_POLLS.toMillis());
        }
    }

    /** Like {@link #value}, for a condition. */
    static void until(String what, Duration limit, Callable<Boolean> condition) throws Exception {
        value(what, limit, () -> condition.call() ? Optional.of(true) : Optional.empty());
    }
}
