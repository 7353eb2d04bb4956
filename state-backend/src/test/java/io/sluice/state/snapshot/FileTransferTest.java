/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTransferTest {

    @TempDir Path directory;

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
