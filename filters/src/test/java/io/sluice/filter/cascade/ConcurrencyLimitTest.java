/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConcurrencyLimitTest {

    private static final long FOR_EVER = Long.MAX_VALUE;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    /** A thread for each task. */
    private void start(Runnable task) {
        Thread thread = new Thread(task);
        threads.add(thread);
        thread.start();
    }

    private void joinAll() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private Runnable holding(String name, CountDownLatch begun, CountDownLatch end) {
        return () -> {
            events.add(name + " begins");
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            events.add(name + " ends");
        };
    }

    /** Task a has its turn until {@code end}. */
    private void hold(Executor executor, CountDownLatch end) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        executor.execute(holding("a", begun, end));
        begun.await();
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(thread.isAlive()).isTrue();
            Thread.onSpinWait();
        }
    }

    @Test
    void noMoreThanTheMostWorkAtATime() throws InterruptedException {
        ConcurrencyLimit turns = new ConcurrencyLimit(2, FOR_EVER);
        // From two pools: turns belong to the process.
        Executor one = turns.taking(this::start);
        Executor other = turns.taking(this::start);
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        one.execute(holding("a", begun, end));
        other.execute(holding("b", begun, end));
        begun.await();
        one.execute(() -> events.add("c"));
        awaitWaiting(threads.get(2));
        end.countDown();
        joinAll();
        assertThat(events).hasSize(5);
        assertThat(events.subList(0, 2)).containsExactlyInAnyOrder("a begins", "b begins");
        assertThat(events.indexOf("c")).as("%s", events).isGreaterThan(2);
    }

    @Test
    void aTaskThatHasWaitedLongBeginsWithoutATurn() throws InterruptedException {
        Executor executor = new ConcurrencyLimit(1, 1).taking(this::start);
        CountDownLatch end = new CountDownLatch(1);
        hold(executor, end);
        // Ends the first one itself: it would wait for ever if it needed a turn.
        executor.execute(
                () -> {
                    events.add("b");
                    end.countDown();
                });
        joinAll();
        assertThat(events).containsExactly("a begins", "b", "a ends");
    }

    @Test
    void aTaskThatFailsGivesItsTurnBack() {
        Executor executor = new ConcurrencyLimit(1, FOR_EVER).taking(Runnable::run);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(
                            () ->
                                    executor.execute(
                                            () -> {
                                                throw new IllegalStateException("on purpose");
                                            }))
                    .hasMessage("on purpose");
        }
        executor.execute(() -> events.add("still"));
        assertThat(events).containsExactly("still");
    }

    @Test
    void anInterruptIsForTheTask() throws InterruptedException {
        Executor executor = new ConcurrencyLimit(1, FOR_EVER).taking(this::start);
        CountDownLatch end = new CountDownLatch(1);
        hold(executor, end);
        executor.execute(
                () -> {
                    events.add(Thread.currentThread().isInterrupted() ? "interrupted" : "not");
                    end.countDown();
                });
        awaitWaiting(threads.get(1));
        threads.get(1).interrupt();
        joinAll();
        assertThat(events).containsExactly("a begins", "interrupted", "a ends");
    }
}
