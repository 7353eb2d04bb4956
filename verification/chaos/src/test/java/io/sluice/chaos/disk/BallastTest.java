/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BallastTest {
    private static final int MIB = 1 << 20;

    /** Takes what it has room for, as a file does, and then nothing. */
    private static final class Bounded implements WritableByteChannel {
        long room;
        boolean isBroken;

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            if (room == 0 || isBroken) {
                throw new IOException("cannot write");
            }
            int written = (int) Math.min(room, bytes.remaining());
            room -= written;
            bytes.position(bytes.position() + written);
            return written;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @Test
    void takesTheLastByteAndWhatIsGivenBackLater() throws Exception {
        Bounded disk = new Bounded();
        disk.room = 5 * MIB + 17;
        try (Ballast ballast = new Ballast(disk, () -> disk.room)) {
            assertThat(ballast.fill()).isEqualTo(5 * MIB + 17);
            assertThat(disk.room).isZero();
            disk.room = 4096;
            assertThat(ballast.fill()).isEqualTo(5 * MIB + 17 + 4096);
            assertThat(disk.room).isZero();
        }
    }

    @Test
    void whatIsGivenBackJustAfterAWriteFailedIsTaken() throws Exception {
        Bounded disk = new Bounded();
        disk.room = MIB;
        boolean[] isDeleted = {false};
        try (Ballast ballast =
                new Ballast(
                        disk,
                        () -> {
                            if (!isDeleted[0]) {
                                isDeleted[0] = true;
                                disk.room = 3 * MIB;
                            }
                            return disk.room;
                        })) {
            assertThat(ballast.fill()).isEqualTo(4 * MIB);
        }
    }

    @Test
    void anotherErrorThanAFullDiskIsTold() throws Exception {
        Bounded disk = new Bounded();
        disk.room = 5 * MIB;
        disk.isBroken = true;
        try (Ballast ballast = new Ballast(disk, () -> disk.room)) {
            assertThatThrownBy(ballast::fill)
                    .isInstanceOf(IOException.class)
                    .hasMessage("cannot write");
        }
    }

    /** So that nothing stays, whatever ends the process. */
    @Test
    void hasNoNameWhileItIsThere(@TempDir Path folder) throws Exception {
        try (Ballast ballast = Ballast.in(folder)) {
            assertThat(ballast).isNotNull();
            assertThat(folder).isEmptyDirectory();
        }
        assertThat(folder).isEmptyDirectory();
    }
}
