/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StagesTest {
    private final Stages stages = new Stages();

    @Test
    void recordsBelowTheMarkPass() throws IOException {
        stages.openUpTo(3);

        for (long record = 0; record < 3; record++) {
            stages.pass(record);
        }

        assertThat(stages.hasReached(3)).isFalse();
    }

    @Test
    void theRecordAtTheMarkWaitsUntilItMoves() throws Exception {
        stages.openUpTo(3);
        CompletableFuture<Void> passed = passInBackground(3);
        awaitReached(3);
        assertThat(passed).isNotDone();

        stages.openUpTo(4);

        passed.get(30, TimeUnit.SECONDS);
    }

    @Test
    void theEndFreesAWaitingReplayWithAnError() throws Exception {
        CompletableFuture<Void> passed = passInBackground(0);

        stages.end();

        assertThatThrownBy(() -> passed.get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("the replay was ended");
        assertThatThrownBy(() -> stages.pass(0)).isInstanceOf(IOException.class);
    }

    /** Two threads, one of which ends the replay. */
    @Test
    void nothingPassesAfterTheEndAlthoughTheMarkMoves() {
        stages.end();

        stages.open();

        assertThatThrownBy(() -> stages.pass(0))
                .isInstanceOf(IOException.class)
                .hasMessage("the replay was ended");
    }

    private CompletableFuture<Void> passInBackground(long record) {
        CompletableFuture<Void> passed = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                stages.pass(record);
                                passed.complete(null);
                            } catch (IOException e) {
                                passed.completeExceptionally(e);
                            }
                        });
        thread.setDaemon(true);
        thread.start();
        return passed;
    }

    private void awaitReached(long record) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!stages.hasReached(record)) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
