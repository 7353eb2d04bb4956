/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Different subtasks have different resources, but the same processors. */
@Timeout(60)
class CascadeResourcesTest {

    private final List<CascadeResources> resources = new ArrayList<>();

    private CascadeResources create() {
        CascadeResources created = CascadeResources.create(1 << 20, 2, Long.MAX_VALUE);
        resources.add(created);
        return created;
    }

    @AfterEach
    void close() {
        resources.forEach(CascadeResources::close);
    }

    @Test
    void overviewsTakeTurns() throws InterruptedException {
        assertThatOneWaits(CascadeResources::overviews);
    }

    @Test
    void shortMergesTakeTurns() throws InterruptedException {
        assertThatOneWaits(each -> each.merges(false));
    }

    @Test
    void longMergesTakeTurns() throws InterruptedException {
        assertThatOneWaits(each -> each.merges(true));
    }

    /** While half of the processors work for some resources, a task of others waits. */
    private void assertThatOneWaits(Function<CascadeResources, Executor> work)
            throws InterruptedException {
        int most = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        CountDownLatch begun = new CountDownLatch(most);
        CountDownLatch end = new CountDownLatch(1);
        try {
            for (int i = 0; i < most; i++) {
                work.apply(create())
                        .execute(
                                () -> {
                                    begun.countDown();
                                    awaitUninterrupted(end);
                                });
            }
            begun.await();
            AtomicBoolean hasBegun = new AtomicBoolean();
            work.apply(create()).execute(() -> hasBegun.set(true));
            while (!isSomeoneWaiting()) {
                assertThat(hasBegun).as("begun without a turn").isFalse();
                Thread.onSpinWait();
            }
        } finally {
            end.countDown();
        }
    }

    private static void awaitUninterrupted(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isSomeoneWaiting() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getState() == Thread.State.TIMED_WAITING)
                .flatMap(each -> Stream.of(each.getValue()))
                .anyMatch(
                        frame ->
                                frame.getClassName().equals(ConcurrencyLimit.class.getName())
                                        && frame.getMethodName().equals("take"));
    }
}
