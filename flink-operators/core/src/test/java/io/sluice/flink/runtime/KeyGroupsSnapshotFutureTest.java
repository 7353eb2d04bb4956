/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.FilterWriter;
import io.sluice.flink.CheckpointFolder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateCheckpointOutputStream;
import org.apache.flink.runtime.state.StateSnapshotContextSynchronousImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The asynchronous part of a checkpoint: what it writes, and what it leaves behind if it fails. */
class KeyGroupsSnapshotFutureTest {

    private static final KeyGroupRange RANGE = KeyGroupRange.of(3, 7);

    @TempDir private Path folder;
    private CheckpointFolder files;
    private final CloseableRegistry task = new CloseableRegistry();
    private final Texts texts = new Texts();
    private final KeyGroupedState<String> state =
            new KeyGroupedState<>(
                    "test", RANGE, 10, "texts", Set.of("texts"), StateIdentity.NONE, texts);

    @BeforeEach
    void fill() {
        files = new CheckpointFolder(folder);
        state.get(4);
        state.get(5);
        state.get(7);
    }

    private KeyGroupsSnapshotFuture begin() throws IOException {
        return KeyGroupsSnapshotFuture.create(state.pin(), files, task);
    }

    private void nothingIsLeft() throws IOException {
        texts.allPinsAreClosed();
        assertThat(files.files()).isEmpty();
        assertThat(task.getNumberOfRegisteredCloseables()).isZero();
    }

    private void endsWithNothingLeft(KeyGroupsSnapshotFuture future, Class<?> cause)
            throws IOException {
        future.run();
        assertThatThrownBy(future::get)
                .satisfiesAnyOf(
                        e -> assertThat(e).isInstanceOf(cause),
                        e -> assertThat(e).cause().isInstanceOf(cause));
        nothingIsLeft();
    }

    /** Writes in the way of Flink's own raw keyed state. */
    private KeyGroupsStateHandle writtenByFlink() throws Exception {
        var context = new StateSnapshotContextSynchronousImpl(1, 1, files, RANGE, task);
        KeyedStateCheckpointOutputStream out = context.getRawKeyedOperatorStateOutput();
        for (int keyGroup : RANGE) {
            out.startNewKeyGroup(keyGroup);
            byte[] layout = "texts".getBytes(StandardCharsets.UTF_8);
            String text = state.peek(keyGroup);
            ByteBuffer header =
                    ByteBuffer.allocate(15 + layout.length)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putInt(10)
                            .putInt(keyGroup)
                            .put((byte) (text == null ? 0 : 1))
                            .putShort((short) layout.length)
                            .put(layout)
                            .putInt(0)
                            .flip();
            new FilterWriter(out, KeyGroupHeader.KIND, KeyGroupHeader.VERSION, header, 0).finish();
            if (text != null) {
                texts.write(text, out);
            }
        }
        var future = context.getKeyedStateStreamFuture();
        future.run();
        return (KeyGroupsStateHandle) future.get().getJobManagerOwnedSnapshot();
    }

    @Test
    void writesWhatFlinksOwnRawKeyedStateWrites() throws Exception {
        KeyGroupsStateHandle expected = writtenByFlink();
        KeyGroupsSnapshotFuture future = begin();
        future.run();
        var handle = (KeyGroupsStateHandle) future.get().getJobManagerOwnedSnapshot();
        assertThat(handle.getGroupRangeOffsets()).isEqualTo(expected.getGroupRangeOffsets());
        try (InputStream ours = handle.openInputStream();
                InputStream flinks = expected.openInputStream()) {
            assertThat(ours.readAllBytes()).isEqualTo(flinks.readAllBytes());
        }
        texts.allPinsAreClosed();
        assertThat(task.getNumberOfRegisteredCloseables()).isZero();
    }

    @Test
    void isReadBackByTheState() throws Exception {
        KeyGroupsSnapshotFuture future = begin();
        future.run();
        var handle = (KeyGroupsStateHandle) future.get().getJobManagerOwnedSnapshot();
        byte[] bytes;
        try (InputStream in = handle.openInputStream()) {
            bytes = in.readAllBytes();
        }
        var restored =
                new KeyGroupedState<>(
                        "test", RANGE, 10, "texts", Set.of("texts"), StateIdentity.NONE, texts);
        List<KeyGroupStatePartitionStreamProvider> streams = new ArrayList<>();
        for (int keyGroup : RANGE) {
            int from = (int) handle.getOffsetForKeyGroup(keyGroup);
            int to =
                    keyGroup == RANGE.getEndKeyGroup()
                            ? bytes.length
                            : (int) handle.getOffsetForKeyGroup(keyGroup + 1);
            streams.add(
                    new KeyGroupStatePartitionStreamProvider(
                            new ByteArrayInputStream(bytes, from, to - from), keyGroup));
        }
        restored.restore(streams);
        for (int keyGroup : RANGE) {
            assertThat(restored.peek(keyGroup)).isEqualTo(state.peek(keyGroup));
        }
    }

    @Test
    void opensNoStreamBeforeItRuns() throws Exception {
        files.onCreate(
                () -> {
                    throw new AssertionError("in the synchronous part");
                });
        begin().cancel(true);
        nothingIsLeft();
    }

    @Test
    void cancelledBeforeItRunsItNeverWrites() throws Exception {
        for (boolean interrupt : new boolean[] {true, false}) {
            KeyGroupsSnapshotFuture future = begin();
            assertThat(future.cancel(interrupt)).isTrue();
            endsWithNothingLeft(future, CancellationException.class);
        }
    }

    @Test
    void cancelledWhileItWritesItDeletesItsFile() throws Exception {
        FutureTask<?>[] future = new FutureTask<?>[1];
        files.onWrite(
                () -> {
                    assertThat(files.files()).hasSize(1);
                    future[0].cancel(true);
                });
        KeyGroupsSnapshotFuture begun = begin();
        future[0] = begun;
        endsWithNothingLeft(begun, CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aCancellationEndsAWriteThatIsStuck() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        files.onWrite(
                () -> {
                    stuck.countDown();
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                });
        KeyGroupsSnapshotFuture future = begin();
        Thread writer = new Thread(future);
        writer.start();
        stuck.await();
        assertThat(future.cancel(true)).isTrue();
        writer.join();
        nothingIsLeft();
    }

    @Test
    void cancelledWhenItsFileIsCompleteItDiscardsIt() throws Exception {
        FutureTask<?>[] future = new FutureTask<?>[1];
        files.onCompleted(
                () -> {
                    assertThat(files.files()).hasSize(1);
                    future[0].cancel(true);
                });
        KeyGroupsSnapshotFuture begun = begin();
        future[0] = begun;
        endsWithNothingLeft(begun, CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aStreamThatCannotBeMadeLeavesNothing() throws Exception {
        files.onCreate(
                () -> {
                    throw new IOException("no disk");
                });
        endsWithNothingLeft(begin(), IOException.class);
    }

    @Test
    void aStreamThatFailsAtAnyWriteLeavesNothing() throws Exception {
        int[] left = {Integer.MAX_VALUE};
        files.onWrite(
                () -> {
                    if (left[0]-- == 0) {
                        throw new IOException("disk full");
                    }
                });
        begin().run();
        int writes = Integer.MAX_VALUE - left[0];
        assertThat(writes).isGreaterThan(RANGE.getNumberOfKeyGroups());
        Files.delete(files.files().get(0));
        for (int good = 0; good < writes; good++) {
            left[0] = good;
            endsWithNothingLeft(begin(), IOException.class);
        }
    }

    @Test
    void aStreamThatCannotBeCompletedLeavesNothing() throws Exception {
        files.onComplete(
                () -> {
                    throw new IOException("disk full at the last moment");
                });
        endsWithNothingLeft(begin(), IOException.class);
    }

    @Test
    void aTaskThatEndsCancelsIt() throws Exception {
        KeyGroupsSnapshotFuture future = begin();
        task.close();
        assertThat(future.isCancelled()).isTrue();
        nothingIsLeft();
        assertThatThrownBy(this::begin).isInstanceOf(IOException.class);
        nothingIsLeft();
    }

    @Test
    void aCancellationThatComesTooLateLeavesTheFile() throws Exception {
        KeyGroupsSnapshotFuture future = begin();
        future.run();
        assertThat(future.cancel(true)).isFalse();
        task.close();
        assertThat(files.files()).hasSize(1);
        assertThat(future.get().getJobManagerOwnedSnapshot()).isNotNull();
    }

    @Test
    void aStructureThatCannotBePinnedLeavesNoOtherPinned() {
        texts.failAt = 2;
        assertThatThrownBy(state::pin).hasMessage("cannot be pinned");
        texts.allPinsAreClosed();
    }

    @Test
    void closedPinsAreNotWritten() throws Exception {
        PinnedKeyGroups pinned = state.pin();
        pinned.close();
        pinned.close();
        var out = files.createCheckpointStateOutputStream(CheckpointedStateScope.EXCLUSIVE);
        assertThatThrownBy(() -> pinned.writeTo(out))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
        out.close();
        nothingIsLeft();
    }

    @Test
    void withoutAPinOfItsOwnAStructureIsCopiedAtTheBarrier() throws Exception {
        StringBuilder text = new StringBuilder("before");
        KeyGroupedState.Handler<StringBuilder> handler =
                new KeyGroupedState.Handler<>() {
                    @Override
                    public StringBuilder create() {
                        return text;
                    }

                    @Override
                    public void write(StringBuilder structure, OutputStream out)
                            throws IOException {
                        out.write(structure.toString().getBytes(StandardCharsets.UTF_8));
                    }

                    @Override
                    public StringBuilder read(InputStream in, String source) {
                        throw new AssertionError();
                    }
                };
        try (PinnedStructure pinned = handler.pin(text)) {
            text.append(" and after");
            var out = new ByteArrayOutputStream();
            pinned.writeTo(out);
            assertThat(out).hasToString("before");
        }
    }

    @Test
    void failuresAreThoseOfTheStream() throws Exception {
        files.onWrite(
                () -> {
                    throw new IOException("disk full");
                });
        KeyGroupsSnapshotFuture future = begin();
        future.run();
        assertThatThrownBy(future::get)
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("disk full");
    }
}
