/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.Test;

/** A checkpoint holds what was there when it began, whatever happens afterwards. */
class SnapshotContractTest extends StateContract {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;

    @Test
    void aRestoredJobKnowsWhatTheCheckpointKnewAndNoMore() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        mark(seen, 0, 5000);
        seen.job().checkpoint();
        mark(seen, 5000, 10_000);
        for (long number = 0; number < 1000; number++) {
            seen.clear(number, NOWHERE);
        }
        seen.job().start(2);
        assertMarked(seen, 10_000, number -> number < 5000);
    }

    @Test
    void aClearedMarkStaysClearedInACheckpoint() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 3000);
        seen.job().checkpoint();
        for (long number = 0; number < 3000; number += 2) {
            seen.clear(number, NOWHERE);
        }
        seen.job().checkpoint();
        seen.job().start(1);
        assertMarked(seen, 3000, number -> number % 2 == 1);
    }

    @Test
    void nothingCanBeRestored() throws Exception {
        KeyedJob<Long> job = job();
        job.start(2);
        job.checkpoint();
        job.start(3);
        Flags<Long, VoidNamespace> seen = job.flags(backends.flag("seen"));
        seen.isMarked(1L, NOWHERE);
        job.checkpoint();
        job.start(2);
        assertMarked(seen, 1000, number -> false);
        mark(seen, 0, 500);
        job.checkpoint();
        job.start(1);
        assertMarked(seen, 1000, number -> number < 500);
    }

    @Test
    void aStateThatIsNotAskedForSurvives() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 1000);
        KeyedJob<Long> job = seen.job();
        job.checkpoint();
        job.start(2);
        Flags<Long, VoidNamespace> other = job.flags(backends.flag("other"));
        mark(other, 500, 600);
        job.checkpoint();
        job.start(1);
        assertMarked(seen, 2000, number -> number < 1000);
        assertMarked(other, 2000, number -> number >= 500 && number < 600);
    }

    @Test
    void everyLinkOfAChainIsWhole() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        for (int link = 0; link < 12; link++) {
            long cleared = link * 500L;
            mark(seen, cleared, cleared + 1000);
            for (long number = cleared - 500; number >= 0 && number < cleared; number++) {
                seen.clear(number, NOWHERE);
            }
            Checkpoint checkpoint = job.checkpoint();
            assertThat(checkpoint.bytes()).isGreaterThanOrEqualTo(checkpoint.newBytes());
            if (link % 3 == 2) {
                job.start(2);
            }
            assertMarked(
                    seen, cleared + 2000, number -> number >= cleared && number < cleared + 1000);
        }
    }

    @Test
    void aCheckpointWithoutChangesWritesLittle() throws Exception {
        assumeThat(backends.sharesFiles()).isTrue();
        Flags<Long, VoidNamespace> seen = started(1);
        mark(seen, 0, 100_000);
        long little = seen.job().checkpoint().newBytes() / 4;
        assertThat(leastNewBytes(seen.job())).isLessThan(little);
        seen.job().start(1);
        assertThat(leastNewBytes(seen.job())).isLessThan(little);
        seen.job().start(1);
        assertMarked(seen, 100_100, number -> number < 100_000);
    }

    /**
     * What one of ten checkpoints wrote, that which wrote least. A merge that ends between two of
     * them writes its files anew, but there is not one for each.
     */
    private static long leastNewBytes(KeyedJob<Long> job) throws Exception {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            least = Math.min(least, job.checkpoint().newBytes());
        }
        return least;
    }

    @Test
    void filesThatNoCheckpointNeedsAreDeleted() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        for (int i = 0; i < 10; i++) {
            mark(seen, i * 3000L, (i + 1) * 3000L);
            Checkpoint checkpoint = job.checkpoint();
            if (i == 4) {
                job.start(3);
            }
            // Not the sum of the subtasks: after a rescale, two may each use a part of a file.
            assertThat(bytesIn(job.checkpointDirectory())).isEqualTo(checkpoint.bytesOfFiles());
        }
    }

    @Test
    void changesWhileACheckpointIsWrittenAreNotInIt() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 20_000);
        Checkpoint checkpoint = job.begin();
        mark(seen, 20_000, 60_000);
        for (long number = 0; number < 10_000; number++) {
            seen.clear(number, NOWHERE);
        }
        job.finish(checkpoint);
        job.complete(checkpoint);
        assertMarked(seen, 70_000, number -> number >= 10_000 && number < 60_000);
        job.start(2);
        assertMarked(seen, 70_000, number -> number < 20_000);
    }

    /** The same, with threads. */
    @Test
    void aCheckpointIsWrittenBesideTheTask() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 20_000);
        var begun = job.beginThrough(GateStreams::new);
        GateStreams gate = begun.streams();
        Checkpoint checkpoint = begun.checkpoint();
        ExecutorService executor = Executors.newFixedThreadPool(2);
        try {
            checkpoint.parts().forEach(executor::execute);
            gate.awaitFirstStream();
            mark(seen, 20_000, 40_000);
            gate.open();
            mark(seen, 40_000, 60_000);
            job.finish(checkpoint);
        } finally {
            executor.shutdownNow();
        }
        job.complete(checkpoint);
        assertMarked(seen, 70_000, number -> number < 60_000);
        job.start(3);
        assertMarked(seen, 70_000, number -> number < 20_000);
    }

    @Test
    void checkpointsMayOverlap() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        KeyedJob<Long> job = seen.job();
        List<Checkpoint> begun = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            mark(seen, i * 1000L, (i + 1) * 1000L);
            begun.add(job.begin());
        }
        mark(seen, 4000, 5000);
        for (int i = 3; i >= 0; i--) {
            job.finish(begun.get(i));
        }
        for (int i = 0; i < 4; i++) {
            job.complete(begun.get(i));
        }
        job.checkpoint();
        job.start(1);
        assertMarked(seen, 6000, number -> number < 5000);
    }

    @Test
    void anEarlierCheckpointOfSeveralInFlightCanBeRestored() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 1000);
        Checkpoint first = job.begin();
        mark(seen, 1000, 2000);
        Checkpoint second = job.begin();
        job.finish(second);
        job.finish(first);
        job.complete(first);
        job.start(1);
        assertMarked(seen, 2000, number -> number < 1000);
    }

    @Test
    void aNativeSavepointStandsAlone() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 5000);
        job.checkpoint();
        mark(seen, 5000, 6000);
        Checkpoint savepoint = job.begin(SavepointType.savepoint(SavepointFormatType.NATIVE));
        job.finish(savepoint);
        mark(seen, 6000, 7000);
        job.checkpoint();
        assertMarked(seen, 8000, number -> number < 7000);
        job.stop();
        deleteAllBut(savepoint, job.checkpointDirectory());
        job.start(3, savepoint);
        assertMarked(seen, 8000, number -> number < 6000);
    }

    @Test
    void aCheckpointNeedsNoFileOfASavepoint() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 5000);
        Checkpoint savepoint = job.begin(SavepointType.savepoint(SavepointFormatType.NATIVE));
        job.finish(savepoint);
        mark(seen, 5000, 6000);
        job.checkpoint();
        savepoint.discard();
        FileUtils.deleteDirectory(chk(job, savepoint).toFile());
        job.start(1);
        assertMarked(seen, 8000, number -> number < 6000);
    }

    /** Restored without claiming: the first checkpoint must not refer to another job's files. */
    @Test
    void aFullCheckpointNeedsNoFileOfTheOneRestored() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 5000);
        job.checkpoint();
        Path origin = job.checkpointDirectory();
        job.startAsAnotherJob(2, directory.resolve("other-job"));
        mark(seen, 5000, 6000);
        job.checkpoint(CheckpointType.FULL_CHECKPOINT);
        FileUtils.deleteDirectory(origin.toFile());
        mark(seen, 6000, 7000);
        job.checkpoint();
        job.start(3);
        assertMarked(seen, 8000, number -> number < 7000);
    }

    @Test
    void whatATaskKeptLocallyIsGoneWhenItEnds() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, 100_000);
        job.checkpoint();
        mark(seen, 100_000, 150_000);
        job.start(1);
        for (int i = 0; i < 2; i++) {
            assertThat(bytesIn(job.localDirectory(1, i), "rocksdb-lib")).isZero();
        }
        assertMarked(seen, 110_000, number -> number < 100_000);
    }

    private static Path chk(KeyedJob<?> job, Checkpoint checkpoint) {
        return job.checkpointDirectory().resolve("chk-" + checkpoint.id());
    }

    private static void deleteAllBut(Checkpoint checkpoint, Path checkpoints) throws IOException {
        Path kept = checkpoints.resolve("chk-" + checkpoint.id());
        try (Stream<Path> children = Files.list(checkpoints)) {
            for (Path child : children.toList()) {
                if (!child.equals(kept)) {
                    FileUtils.deleteDirectory(child.toFile());
                }
            }
        }
    }

    private static long bytesIn(Path directory) throws IOException {
        return bytesIn(directory, "");
    }

    /**
     * @param except names that contain it are not counted; empty to count all
     */
    private static long bytesIn(Path directory, String except) throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes +=
                        !except.isEmpty() && file.toString().contains(except)
                                ? 0
                                : Files.size(file);
            }
        }
        return bytes;
    }
}
