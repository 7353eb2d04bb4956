/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link Directory} does. */
abstract class DirectoryContract {

    private Directory directory;

    /** A new, empty one. */
    abstract Directory create() throws IOException;

    @BeforeEach
    void createDirectory() throws IOException {
        directory = create();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + i / 256);
        }
        return bytes;
    }

    private void write(String name, byte[] bytes) throws IOException {
        try (WritableFile file = directory.create(name)) {
            file.write(ByteBuffer.wrap(bytes));
            file.sync();
        }
    }

    private byte[] read(String name, long position, int length) throws IOException {
        try (ReadableFile file = directory.open(name)) {
            ByteBuffer into = ByteBuffer.allocateDirect(length);
            int n = file.read(position, into);
            assertThat(into.position()).isEqualTo(n);
            byte[] read = new byte[n];
            into.flip().get(read);
            return read;
        }
    }

    @Test
    void whatWasWrittenIsReadAtAnyPosition() throws IOException {
        byte[] bytes = bytes(10_000);
        try (WritableFile file = directory.create("a")) {
            ByteBuffer part = ByteBuffer.allocateDirect(7_000).put(bytes, 0, 7_000).flip();
            file.write(part);
            assertThat(part.hasRemaining()).isFalse();
            file.write(ByteBuffer.wrap(bytes, 7_000, 3_000));
        }
        assertThat(directory.length("a")).isEqualTo(10_000);
        assertThat(read("a", 0, 10_000)).isEqualTo(bytes);
        assertThat(read("a", 6_990, 20)).isEqualTo(Arrays.copyOfRange(bytes, 6_990, 7_010));
    }

    @Test
    void aReadPastTheEndIsShort() throws IOException {
        byte[] bytes = bytes(5_000);
        write("a", bytes);
        assertThat(read("a", 4_990, 20)).isEqualTo(Arrays.copyOfRange(bytes, 4_990, 5_000));
        assertThat(read("a", 4_096, 4_096)).isEqualTo(Arrays.copyOfRange(bytes, 4_096, 5_000));
        assertThat(read("a", 5_000, 20)).isEmpty();
        assertThat(read("a", 1L << 40, 20)).isEmpty();
    }

    @Test
    void aFileIsReadWhileItIsWritten() throws IOException {
        try (WritableFile file = directory.create("a")) {
            file.write(ByteBuffer.wrap(bytes(100)));
            assertThat(read("a", 0, 200)).isEqualTo(bytes(100));
            file.write(ByteBuffer.wrap(new byte[] {9}));
            assertThat(directory.length("a")).isEqualTo(101);
        }
    }

    @Test
    void aFileIsWrittenOnce() throws IOException {
        write("a", bytes(10));
        assertThatThrownBy(() -> directory.create("a"))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining("a");
    }

    @Test
    void aClosedFileIsClosed() throws IOException {
        WritableFile writing = directory.create("a");
        writing.close();
        writing.close();
        assertThatThrownBy(() -> writing.write(ByteBuffer.wrap(bytes(1))))
                .isInstanceOf(IOException.class);
        ReadableFile reading = directory.open("a");
        assertThat(reading.length()).isZero();
        reading.close();
        reading.close();
        assertThatThrownBy(() -> reading.read(0, ByteBuffer.allocate(1)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void namesAreListedInOrder() throws IOException {
        for (String name : new String[] {"b", "manifest-2", "a", "c.tmp"}) {
            write(name, bytes(1));
        }
        assertThat(directory.list()).containsExactly("a", "b", "c.tmp", "manifest-2");
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatThrownBy(() -> directory.open("none")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.length("none")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.delete("none")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.rename("none", "b"))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("none");
    }

    @Test
    void renamingGivesTheFileAnotherName() throws IOException {
        write("a", bytes(10));
        directory.rename("a", "b");
        assertThat(directory.list()).containsExactly("b");
        assertThat(read("b", 0, 10)).isEqualTo(bytes(10));
    }

    @Test
    void renamingNeverReplaces() throws IOException {
        write("a", bytes(10));
        write("b", bytes(20));
        assertThatThrownBy(() -> directory.rename("a", "b"))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(directory.length("b")).isEqualTo(20);
        assertThat(directory.length("a")).isEqualTo(10);
    }

    @Test
    void anOpenFileOutlivesItsName() throws IOException {
        write("a", bytes(10));
        try (ReadableFile file = directory.open("a")) {
            directory.delete("a");
            directory.sync();
            assertThat(directory.list()).isEmpty();
            ByteBuffer into = ByteBuffer.allocate(10);
            assertThat(file.read(0, into)).isEqualTo(10);
            assertThat(into.array()).isEqualTo(bytes(10));
        }
    }

    @Test
    void oneHolderAtATime() throws IOException {
        DirectoryLock lock = directory.lock();
        assertThatThrownBy(() -> directory.lock())
                .isInstanceOf(DirectoryLockedException.class)
                .hasMessageContaining(directory.toString());
        assertThat(directory.list()).isEmpty();
        lock.close();
        try (DirectoryLock next = directory.lock()) {
            lock.close();
            assertThat(next).isNotNull();
            assertThatThrownBy(() -> directory.lock()).isInstanceOf(DirectoryLockedException.class);
        }
    }

    @Test
    void namesThatLeadElsewhereAreRefused() {
        for (String name : new String[] {"", "..", ".lock", "a/b", "/etc/hosts"}) {
            assertThatThrownBy(() -> directory.create(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("name");
            assertThatThrownBy(() -> directory.open(name))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
