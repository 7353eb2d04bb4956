/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTransferTest {

    @TempDir Path directory;

    private boolean closed;

    /** As when the local disk is full, or the storage cannot be reached any more. */
    @Test
    void aFileThatCannotBeDownloadedIsNamedOnBothSides() {
        Path to = directory.resolve("0-1.level");
        assertThatThrownBy(
                        () ->
                                FileTransfer.download(
                                        new Broken("chk-7/remote-file"),
                                        new CompositeManifest.FilePart("0-1.level", 3, 0),
                                        to,
                                        new CloseableRegistry()))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll(to.toString(), "chk-7/remote-file", Broken.MESSAGE);
    }

    private static final byte[] CONTENT = content();

    /** More than a buffer, and no multiple of one. */
    private static byte[] content() {
        byte[] bytes = new byte[600_001];
        new Random(20261126).nextBytes(bytes);
        return bytes;
    }

    private static UploadedFiles.Held uploaded(CloseableRegistry registry) throws IOException {
        return FileTransfer.upload(
                () -> new ByteArrayInputStream(CONTENT),
                new MemCheckpointStreamFactory(1 << 20),
                CheckpointedStateScope.SHARED,
                registry);
    }

    private static CompositeManifest.FilePart part(int size, int crc) {
        return new CompositeManifest.FilePart("0-1.level", size, crc);
    }

    @Test
    void whatWasUploadedIsDownloaded() throws IOException {
        CloseableRegistry registry = new CloseableRegistry();
        UploadedFiles.Held held = uploaded(registry);
        CRC32C crc = new CRC32C();
        crc.update(CONTENT);
        assertThat(held.crc32c()).isEqualTo((int) crc.getValue());
        assertThat(held.handle().getStateSize()).isEqualTo(CONTENT.length);
        Path to = directory.resolve("0-1.level");
        FileTransfer.download(held.handle(), part(CONTENT.length, held.crc32c()), to, registry);
        assertThat(to).hasBinaryContent(CONTENT);
        assertThat(registry.getNumberOfRegisteredCloseables()).isZero();
    }

    @Test
    void aFileThatIsNotWhatWasStoredIsRefused() throws IOException {
        CloseableRegistry registry = new CloseableRegistry();
        UploadedFiles.Held held = uploaded(registry);
        for (CompositeManifest.FilePart other :
                List.of(
                        part(CONTENT.length, held.crc32c() ^ 1),
                        part(CONTENT.length + 1, held.crc32c()))) {
            Path to = directory.resolve("to" + other.sizeBytes());
            assertThatThrownBy(() -> FileTransfer.download(held.handle(), other, to, registry))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContainingAll("0-1.level", "600001 bytes");
        }
    }

    @Test
    void aLocalCopyIsLinkedIfItIsWhatWasStored() throws IOException {
        Path from = Files.write(directory.resolve("from"), CONTENT);
        CRC32C crc = new CRC32C();
        crc.update(CONTENT);
        Path to = directory.resolve("to");
        FileTransfer.link(from, part(CONTENT.length, (int) crc.getValue()), to);
        assertThat(to).hasBinaryContent(CONTENT);
        CompositeManifest.FilePart other = part(CONTENT.length, 7);
        assertThatThrownBy(() -> FileTransfer.link(from, other, directory.resolve("other")))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("the local copy " + from);
    }

    @Test
    void afterACancelNothingIsUploadedOrDownloaded() throws IOException {
        UploadedFiles.Held held = uploaded(new CloseableRegistry());
        CloseableRegistry cancelled = new CloseableRegistry();
        cancelled.close();
        assertThatThrownBy(() -> uploaded(cancelled)).isInstanceOf(IOException.class);
        assertThatThrownBy(
                        () ->
                                FileTransfer.download(
                                        held.handle(),
                                        part(CONTENT.length, held.crc32c()),
                                        directory.resolve("0-1.level"),
                                        cancelled))
                .isInstanceOf(IOException.class);
    }

    /** The cancel closes what is being read, whatever it waits for. */
    @Test
    void aCancelClosesWhatIsBeingCopied() {
        CloseableRegistry registry = new CloseableRegistry();
        FileTransfer.Source source =
                () ->
                        new FilterInputStream(new ByteArrayInputStream(CONTENT)) {
                            @Override
                            public int read(byte[] into, int at, int most) throws IOException {
                                registry.close();
                                return super.read(into, at, most);
                            }

                            @Override
                            public void close() throws IOException {
                                closed = true;
                                super.close();
                            }
                        };
        assertThatThrownBy(
                        () ->
                                FileTransfer.upload(
                                        source,
                                        new MemCheckpointStreamFactory(1 << 20),
                                        CheckpointedStateScope.SHARED,
                                        registry))
                .isInstanceOf(IOException.class);
        assertThat(closed).isTrue();
    }

    @Test
    void resultsComeInTheOrderOfTheTasks() throws IOException {
        try (FileTransfer transfer = new FileTransfer(3)) {
            List<Callable<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                int result = i;
                tasks.add(() -> result);
            }
            assertThat(transfer.runAll(tasks))
                    .containsExactlyElementsOf(IntStream.range(0, 20).boxed().toList());
        }
    }

    @Test
    void allTasksEndBeforeTheFirstFailureIsThrownWithTheOthers() {
        AtomicInteger ended = new AtomicInteger();
        try (FileTransfer transfer = new FileTransfer(1)) {
            List<Callable<Integer>> tasks =
                    List.of(
                            () -> {
                                throw new IOException("first");
                            },
                            ended::incrementAndGet,
                            () -> {
                                throw new IllegalStateException("second");
                            },
                            ended::incrementAndGet);
            assertThatThrownBy(() -> transfer.runAll(tasks))
                    .isInstanceOf(IOException.class)
                    .hasMessage("first")
                    .satisfies(
                            e ->
                                    assertThat(e.getSuppressed())
                                            .singleElement()
                                            .satisfies(
                                                    other ->
                                                            assertThat(other)
                                                                    .hasRootCauseMessage(
                                                                            "second")));
        }
        assertThat(ended).hasValue(2);
    }

    @Test
    void onceClosedNothingIsCopied() {
        FileTransfer transfer = new FileTransfer(1);
        transfer.close();
        assertThatThrownBy(() -> transfer.runAll(List.of(() -> 1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed while files were copied");
    }

    /** Also those that no thread has begun yet. */
    @Test
    void aCloseFailsWhatWaits() {
        FileTransfer transfer = new FileTransfer(1);
        List<Callable<Integer>> tasks =
                List.of(
                        () -> {
                            transfer.close();
                            return 1;
                        },
                        () -> 2);
        assertThatThrownBy(() -> transfer.runAll(tasks))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed while files were copied");
    }

    private static final class Broken extends ByteStreamStateHandle {
        private static final long serialVersionUID = 1;

        static final String MESSAGE = "No space left on device";

        Broken(String name) {
            super(name, new byte[3]);
        }

        @Override
        public FSDataInputStream openInputStream() {
            return new FSDataInputStream() {
                @Override
                public void seek(long position) {}

                @Override
                public long getPos() {
                    return 0;
                }

                @Override
                public int read() throws IOException {
                    throw new IOException(MESSAGE);
                }

                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    throw new IOException(MESSAGE);
                }
            };
        }
    }
}
