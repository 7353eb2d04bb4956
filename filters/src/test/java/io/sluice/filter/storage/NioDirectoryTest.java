/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NioDirectoryTest extends DirectoryContract {

    @TempDir private Path temporary;

    @Override
    Directory create() throws IOException {
        return new NioDirectory(temporary.resolve("made/when/missing"));
    }

    @Test
    void twoOpenersOfOnePathExcludeEachOther() throws IOException {
        NioDirectory first = new NioDirectory(temporary);
        NioDirectory second = new NioDirectory(temporary);
        try (DirectoryLock lock = first.lock()) {
            assertThat(lock).isNotNull();
            assertThatThrownBy(second::lock).isInstanceOf(DirectoryLockedException.class);
        }
        second.lock().close();
    }

    @Test
    void anInterruptedReaderDoesNotCloseTheFileForOthers() throws IOException {
        NioDirectory directory = new NioDirectory(temporary);
        Files.write(temporary.resolve("a"), new byte[] {1, 2, 3});
        try (ReadableFile file = directory.open("a")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> file.read(0, ByteBuffer.allocate(3)))
                    .isInstanceOf(ClosedByInterruptException.class);
            assertThat(Thread.interrupted()).isTrue();
            ByteBuffer into = ByteBuffer.allocate(3);
            assertThat(file.read(0, into)).isEqualTo(3);
            assertThat(into.array()).containsExactly(1, 2, 3);
            assertThat(file.length()).isEqualTo(3);
        }
    }

    @Test
    void directoriesAndHiddenFilesAreNotListed() throws IOException {
        NioDirectory directory = new NioDirectory(temporary);
        Files.createDirectory(temporary.resolve("below"));
        Files.createFile(temporary.resolve(".hidden"));
        Files.createFile(temporary.resolve("a"));
        assertThat(directory.list()).containsExactly("a");
    }

    /** Aligned, unaligned, and across the end of a file that is not a multiple of a page. */
    @Test
    void directReadsGiveTheSameBytes() throws IOException {
        byte[] bytes = new byte[3 * 4096 + 100];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 17 + i / 512);
        }
        Files.write(temporary.resolve("a"), bytes);
        ByteBuffer aligned = ByteBuffer.allocateDirect(4 * 4096).alignedSlice(4096);
        NioDirectory directory = new NioDirectory(temporary, NioDirectory.Reads.DIRECT);
        try (ReadableFile file = directory.open("a")) {
            for (int position : new int[] {0, 4096, 2 * 4096, 3 * 4096, 4 * 4096, 1, 5000}) {
                for (int length : new int[] {4096, 2 * 4096, 100, 1}) {
                    aligned.clear().limit(length);
                    int end = Math.max(position, Math.min(bytes.length, position + length));
                    int expected = Math.max(0, end - position);
                    assertThat(file.read(position, aligned)).isEqualTo(expected);
                    byte[] read = new byte[expected];
                    aligned.flip().get(read);
                    if (expected > 0) {
                        assertThat(read).isEqualTo(Arrays.copyOfRange(bytes, position, end));
                    }
                }
            }
        }
    }

    @Test
    void aFullDiskNamesTheFile() throws IOException {
        Path full = Path.of("/dev/full");
        assumeThat(Files.exists(full)).isTrue();
        try (NioWritableFile file =
                new NioWritableFile(full, FileChannel.open(full, StandardOpenOption.WRITE))) {
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(4096)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("/dev/full")
                    .hasMessageContaining("No space left on device");
        }
    }
}
