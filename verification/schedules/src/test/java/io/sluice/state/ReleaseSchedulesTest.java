/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.schedules.Schedules;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A task that ends while another thread cancels it. */
class ReleaseSchedulesTest {

    @Test
    void whatATaskUsesIsReleasedOnceAndNeverUnderItsThread() {
        Schedules.explore("release", () -> cancelWhileTheTaskEnds(true));
    }

    /** Below the adaptor for asynchronous state nobody but the canceller says that it is over. */
    @Test
    void whatATaskUsesIsReleasedWhenItsThreadIsGone() {
        Schedules.explore("release-late", () -> cancelWhileTheTaskEnds(false));
    }

    private static void cancelWhileTheTaskEnds(boolean isDisposed) throws Exception {
        AtomicInteger releases = new AtomicInteger();
        AtomicBoolean isInUse = new AtomicBoolean(true);
        AtomicBoolean isReleasedInUse = new AtomicBoolean();
        CountDownLatch released = new CountDownLatch(1);
        AtomicReference<Release> release = new AtomicReference<>();
        CountDownLatch made = new CountDownLatch(1);
        Thread task =
                new Thread(
                        () -> {
                            release.set(
                                    new Release(
                                            () -> {
                                                isReleasedInUse.compareAndSet(false, isInUse.get());
                                                releases.incrementAndGet();
                                                released.countDown();
                                            }));
                            made.countDown();
                            isInUse.set(false);
                            if (isDisposed) {
                                release.get().now();
                            }
                        });
        task.start();
        made.await();
        Schedules.together(
                () -> release.get().whenOwnerIsDone(), () -> release.get().whenOwnerIsDone());
        task.join();
        // Anyone who knows that the task is done may say so, while it is noticed.
        release.get().now();
        released.await();
        assertThat(releases).hasValue(1);
        assertThat(isReleasedInUse).isFalse();
    }
}
