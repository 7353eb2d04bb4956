/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.Backends;
import io.sluice.flink.CheckpointFolder;
import io.sluice.flink.testkit.Subtasks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints whose asynchronous part runs while records go on. */
class DeduplicateCheckpointTest {

    private static final int MAX_PARALLELISM = 20;

    /** Some pages of 4 KiB for each key group. */
    private static final long IDS = 8_000;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private final Subtasks<Long, Long, Long> stream =
            DeduplicateFixture.subtasks(MAX_PARALLELISM, Backends.HASHMAP);

    @TempDir private Path folder;
    private CheckpointFolder files;

    @BeforeEach
    void open() {
        files = new CheckpointFolder(folder);
        fixture.idsPerSecond = 5 * IDS;
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private void allAreNew(long from, long to, long timestamp) throws Exception {
        for (long id = from; id < to; id++) {
            assertThat(stream.process(id, timestamp)).containsExactly(id);
        }
    }

    private void allAreSeen(long from, long to, long timestamp) throws Exception {
        for (long id = from; id < to; id++) {
            assertThat(stream.process(id, timestamp)).as("id %s", id).isEmpty();
        }
    }

    private void discard(List<OperatorSnapshotFutures> checkpoint) throws Exception {
        for (OperatorSnapshotFutures futures : checkpoint) {
            futures.cancel();
        }
    }

    private int registered() {
        return stream.harnesses().stream()
                .mapToInt(
                        harness ->
                                harness.getOperator()
                                        .getContainingTask()
                                        .getCancelables()
                                        .getNumberOfRegisteredCloseables())
                .sum();
    }

    private void restoresTheBarrier(Supplier<OneInputStreamOperator<Long, Long>> operator)
            throws Exception {
        stream.start(2, operator);
        allAreNew(0, IDS, 100);
        stream.watermark(200);
        var checkpoint = stream.beginSnapshot(files);
        allAreNew(IDS, 2 * IDS, 300);
        stream.watermark(1150);
        allAreNew(2 * IDS, 2 * IDS + 100, 1200);
        stream.completeSnapshot(checkpoint);
        stream.start(3, operator);
        allAreSeen(0, IDS, 300);
        allAreNew(IDS, 2 * IDS, 300);
    }

    @Test
    void aSnapshotThatIsWrittenLaterRestoresTheBarrierAtAnotherParallelism() throws Exception {
        restoresTheBarrier(fixture.filter());
    }

    @Test
    void aSnapshotThatIsWrittenLaterRestoresTheBarrierWithVerification() throws Exception {
        restoresTheBarrier(fixture.verified());
    }

    @Test
    void whatACheckpointCopiesIsShownUntilItIsWrittenAndIsAtMostTheFiltersOnceMore()
            throws Exception {
        stream.start(1, fixture.filter());
        allAreNew(0, IDS, 100);
        long bytes = stream.gauge(0, DeduplicateMetrics.BYTES, Long.class);
        assertThat(copied()).as("no checkpoint").isZero();

        var checkpoint = stream.beginSnapshot(files);
        assertThat(copied()).as("pinned only").isZero();
        allAreNew(IDS, 2 * IDS, 100);
        long copied = copied();
        assertThat(copied).isBetween(bytes / 4, bytes);
        var second = stream.beginSnapshot(files);
        allAreNew(2 * IDS, 3 * IDS, 100);
        assertThat(copied()).isGreaterThan(copied);

        stream.completeSnapshot(checkpoint);
        assertThat(copied()).isBetween(1L, bytes);
        discard(second);
        assertThat(copied()).as("written, or cancelled").isZero();
    }

    private long copied() throws Exception {
        return stream.gauge(0, DeduplicateMetrics.CHECKPOINT_COPIED_BYTES, Long.class);
    }

    @Test
    void twoCheckpointsAtOnceRestoreEachItsOwnBarrier() throws Exception {
        for (boolean olderFirst : new boolean[] {true, false}) {
            stream.setState(null);
            stream.start(1, fixture.filter());
            allAreNew(0, IDS, 100);
            var older = stream.beginSnapshot(files);
            allAreNew(IDS, IDS + 500, 100);
            var younger = stream.beginSnapshot(files);
            allAreNew(IDS + 500, IDS + 1000, 100);
            // The one that is completed last is restored.
            stream.completeSnapshot(olderFirst ? older : younger);
            allAreNew(IDS + 1000, IDS + 1500, 100);
            stream.completeSnapshot(olderFirst ? younger : older);
            stream.start(2, fixture.filter());
            allAreSeen(0, IDS, 100);
            if (olderFirst) {
                allAreSeen(IDS, IDS + 500, 100);
            } else {
                allAreNew(IDS, IDS + 500, 100);
            }
            allAreNew(IDS + 500, IDS + 1500, 100);
        }
    }

    @Test
    void aCancelledCheckpointLeavesNothingAndTheNextIsComplete() throws Exception {
        stream.start(2, fixture.filter());
        allAreNew(0, IDS, 100);
        int before = registered();
        var cancelled = stream.beginSnapshot(files);
        allAreNew(IDS, IDS + 500, 100);
        discard(cancelled);
        assertThat(files.files()).isEmpty();
        assertThat(registered()).isEqualTo(before);

        var complete = stream.beginSnapshot(files);
        allAreNew(IDS + 500, IDS + 1000, 100);
        stream.completeSnapshot(complete);
        assertThat(registered()).isEqualTo(before);
        stream.start(2, fixture.filter());
        allAreSeen(0, IDS + 500, 100);
        allAreNew(IDS + 500, IDS + 1000, 100);
    }

    @Test
    void aCheckpointThatFailsLeavesNothingAndTheNextIsComplete() throws Exception {
        stream.start(1, fixture.filter());
        allAreNew(0, IDS, 100);
        int before = registered();
        files.onWrite(
                () -> {
                    throw new IOException("disk full");
                });
        var failing = stream.beginSnapshot(files);
        assertThatThrownBy(() -> stream.completeSnapshot(failing)).hasRootCauseMessage("disk full");
        discard(failing);
        assertThat(files.files()).isEmpty();
        assertThat(registered()).isEqualTo(before);
        files.onWrite(CheckpointFolder.Event.NOTHING);
        allAreNew(IDS, IDS + 500, 100);
        stream.completeSnapshot(stream.beginSnapshot(files));
        stream.start(1, fixture.filter());
        allAreSeen(0, IDS + 500, 100);
    }

    @Test
    void aDiscardedCheckpointThatWasCompleteLeavesNoFile() throws Exception {
        stream.start(1, fixture.filter());
        allAreNew(0, 100, 100);
        var checkpoint = stream.beginSnapshot(files);
        stream.completeSnapshot(checkpoint);
        assertThat(files.files()).isNotEmpty();
        discard(checkpoint);
        assertThat(files.files()).isEmpty();
    }

    @Test
    void aTaskThatEndsWithACheckpointUnderWayLeavesNothing() throws Exception {
        stream.start(1, fixture.filter());
        allAreNew(0, 1000, 100);
        var checkpoint = stream.beginSnapshot(files);
        var tasks = stream.harnesses().get(0).getOperator().getContainingTask().getCancelables();
        tasks.close();
        assertThat(checkpoint.get(0).getKeyedStateRawFuture().isCancelled()).isTrue();
        assertThat(files.files()).isEmpty();
        assertThatThrownBy(() -> stream.beginSnapshot(files))
                .isInstanceOf(CheckpointException.class);
        assertThat(files.files()).isEmpty();
    }

    /** Fails after its state was pinned. */
    private static final class Failing extends DeduplicateOperator<Long, Long> {
        private static boolean fails;

        Failing(DeduplicateFixture fixture) {
            super(
                    fixture.settings(),
                    fixture.batching,
                    DeduplicateFixture.identity(),
                    DeduplicateFixture.hasher(),
                    fixture.onDuplicate,
                    null,
                    fixture.onLate,
                    fixture.onNullId,
                    fixture.rule);
        }

        @Override
        public void snapshotState(StateSnapshotContext context) throws Exception {
            super.snapshotState(context);
            if (fails) {
                throw new IOException("after the pins");
            }
        }
    }

    @Test
    void aSynchronousPartThatFailsAfterThePinsLeavesNothing() throws Exception {
        Failing.fails = true;
        stream.start(1, () -> new Failing(fixture));
        allAreNew(0, IDS, 100);
        int before = registered();
        assertThatThrownBy(() -> stream.beginSnapshot(files))
                .isInstanceOf(CheckpointException.class)
                .hasRootCauseMessage("after the pins");
        assertThat(registered()).isEqualTo(before);
        assertThat(files.files()).isEmpty();
        Failing.fails = false;
        allAreNew(IDS, IDS + 500, 100);
        stream.completeSnapshot(stream.beginSnapshot(files));
        stream.start(1, fixture.filter());
        allAreSeen(0, IDS + 500, 100);
    }

    @Test
    void theBytesAreThoseThatWereWrittenAtTheBarrier() throws Exception {
        stream.start(1, fixture.filter());
        allAreNew(0, IDS, 100);
        var later = stream.beginSnapshot(files);
        stream.completeSnapshot(stream.beginSnapshot(files));
        byte[] atOnce = Files.readAllBytes(files.files().get(0));
        Files.delete(files.files().get(0));
        allAreNew(IDS, 2 * IDS, 300);
        stream.completeSnapshot(later);
        assertThat(Files.readAllBytes(files.files().get(0))).isEqualTo(atOnce);
    }
}
