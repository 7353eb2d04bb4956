/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.flink.testkit.process.Await;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A checkpoint that fails, is aborted or is overtaken harms neither the task nor the next one. */
class AbortedSnapshotContractTest extends StateContract {
    private static final long DEADLINE_SECONDS = 60;

    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() throws InterruptedException {
        executor.shutdownNow();
        assertThat(executor.awaitTermination(DEADLINE_SECONDS, TimeUnit.SECONDS))
                .as("every asynchronous part ended")
                .isTrue();
    }

    private void assertTheNextIsWhole(Flags<Long, VoidNamespace> seen, long keys) throws Exception {
        mark(seen, keys, keys + 1000);
        seen.job().checkpoint();
        mark(seen, keys + 1000, keys + 2000);
        seen.job().checkpoint();
        seen.job().start(2);
        assertMarked(seen, keys + 3000, number -> number < keys + 2000);
    }

    @Test
    void aCheckpointIsGivenUpBeforeItIsWritten() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 1000);
        Checkpoint checkpoint = seen.job().begin();
        seen.job().abort(checkpoint);
        for (RunnableFuture<SnapshotResult<KeyedStateHandle>> part : checkpoint.parts()) {
            part.run();
            assertThatThrownBy(part::get).isInstanceOf(CancellationException.class);
        }
        assertThat(filesIn(seen.job().checkpointDirectory())).isZero();
        assertTheNextIsWhole(seen, 1000);
    }

    @Test
    void aCheckpointIsGivenUpWhileItIsWritten() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 1000);
        seen.job().checkpoint();
        mark(seen, 1000, 2000);
        var begun = seen.job().beginThrough(GateStreams::new);
        GateStreams gate = begun.streams();
        Checkpoint checkpoint = begun.checkpoint();
        Future<?> running = executor.submit(checkpoint.parts().get(0));
        gate.awaitFirstStream();
        long before = filesIn(seen.job().checkpointDirectory());
        seen.job().abort(checkpoint);
        gate.open();
        running.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertThatThrownBy(checkpoint.parts().get(0)::get)
                .isInstanceOf(CancellationException.class);
        Await.until(
                "what was written is deleted",
                () -> filesIn(seen.job().checkpointDirectory()) <= before);
        assertTheNextIsWhole(seen, 2000);
    }

    /**
     * The last stream but one is a level file, the last one says what belongs to the checkpoint.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aFileWhoseUploadEndsAfterItsCheckpointWasGivenUpIsDeleted(int late) throws Exception {
        assumeThat(backends.sharesFiles()).as("Flink's hashmap backend leaves it").isTrue();
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 1000);
        seen.job().checkpoint();
        mark(seen, 1000, 2000);
        long before = filesIn(seen.job().checkpointDirectory());
        var begun = seen.job().beginThrough(whole -> new LateStreams(whole, late));
        LateStreams streams = begun.streams();
        Checkpoint checkpoint = begun.checkpoint();
        Thread part = new Thread(checkpoint.parts().get(0));
        part.start();
        Thread uploading = streams.awaitLate();
        seen.job().abort(checkpoint);
        if (uploading != part) {
            part.join();
        }
        streams.open();
        part.join();
        Await.until(
                "what was uploaded is deleted",
                () -> filesIn(seen.job().checkpointDirectory()) <= before);
        assertTheNextIsWhole(seen, 2000);
    }

    /** The n-th stream breaks: a full disk, or unreachable storage. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aCheckpointThatCannotBeWrittenFails(int broken) throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 1000);
        seen.job().checkpoint();
        mark(seen, 1000, 2000);
        var begun = seen.job().beginThrough(whole -> new BrokenStreams(whole, broken));
        BrokenStreams streams = begun.streams();
        Checkpoint checkpoint = begun.checkpoint();
        checkpoint.parts().get(0).run();
        if (streams.hasBroken()) {
            assertThatThrownBy(checkpoint.parts().get(0)::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasStackTraceContaining(BrokenStreams.MESSAGE);
        } else {
            assertThat(streams.count()).as("streams of one checkpoint").isLessThan(broken);
        }
        seen.job().abort(checkpoint);
        assertTheNextIsWhole(seen, 2000);
    }

    /** Another task failed: what this one wrote is deleted with the checkpoint. */
    @Test
    void theNextCheckpointDoesNotRelyOnOneThatWasWrittenAndGivenUp() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 5000);
        job.checkpoint();
        for (int i = 0; i < 3; i++) {
            mark(seen, 5000 + i * 1000L, 6000 + i * 1000L);
            Checkpoint checkpoint = job.begin();
            job.finish(checkpoint);
            job.abort(checkpoint);
        }
        assertTheNextIsWhole(seen, 8000);
    }

    /** The task is not told about a checkpoint that another one overtook. */
    @Test
    void aCheckpointIsOvertaken() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 5000);
        Checkpoint first = job.begin();
        job.finish(first);
        mark(seen, 5000, 6000);
        Checkpoint second = job.begin();
        job.finish(second);
        job.complete(second);
        assertTheNextIsWhole(seen, 6000);
    }

    @Test
    void whatIsSaidOfUnknownCheckpointsDoesNothing() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 1000);
        seen.job().checkpoint();
        seen.job().subtask(0).listener().notifyCheckpointAborted(1_000);
        seen.job().subtask(0).listener().notifyCheckpointAborted(-3);
        assertTheNextIsWhole(seen, 1000);
    }

    @Test
    void theTaskEndsWhileACheckpointIsWritten() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 1000);
        job.checkpoint();
        mark(seen, 1000, 2000);
        var begun = job.beginThrough(GateStreams::new);
        GateStreams gate = begun.streams();
        Checkpoint checkpoint = begun.checkpoint();
        RunnableFuture<SnapshotResult<KeyedStateHandle>> part = checkpoint.parts().get(0);
        Future<?> running = executor.submit(part);
        gate.awaitFirstStream();
        // As in Flink: a task that ends cancels what it has begun.
        part.cancel(true);
        gate.open();
        job.stop();
        running.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        job.start(1);
        assertMarked(seen, 2000, number -> number < 1000);
    }

    @Test
    void theTaskEndsBeforeACheckpointIsWritten() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 1000);
        job.checkpoint();
        mark(seen, 1000, 2000);
        Checkpoint checkpoint = job.begin();
        checkpoint.parts().forEach(part -> part.cancel(true));
        job.start(1);
        assertMarked(seen, 2000, number -> number < 1000);
        assertTheNextIsWhole(seen, 1000);
    }

    /** Files that are not deleted while they are counted. */
    private static long filesIn(Path directory) throws IOException {
        FileCount count = new FileCount();
        Files.walkFileTree(directory, count);
        return count.files;
    }

    private static final class FileCount extends SimpleFileVisitor<Path> {
        private long files;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            files += attributes.isRegularFile() ? 1 : 0;
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException problem) throws IOException {
            if (problem instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw problem;
        }
    }
}
