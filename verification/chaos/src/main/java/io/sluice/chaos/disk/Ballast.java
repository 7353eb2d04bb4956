/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that takes all the room of a file system. It is deleted as soon as it is open, so the room
 * comes back when it is closed, or when this process ends, whatever ends it.
 */
public final class Ballast implements Closeable {
    private static final int BLOCK = 1 << 20;
    private static final int MAX_FAILURES = 10;

    private final WritableByteChannel file;
    private final Room room;
    private long bytes;

    /** What is left. */
    @FunctionalInterface
    interface Room {
        long bytes() throws IOException;
    }

    Ballast(WritableByteChannel file, Room room) {
        this.file = file;
        this.room = room;
    }

    /** An empty one. */
    public static Ballast in(Path folder) throws IOException {
        return new Ballast(
                FileChannel.open(
                        folder.resolve("ballast"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE),
                () -> Files.getFileStore(folder).getUsableSpace());
    }

    /**
     * Takes what room there is.
     *
     * @return how many bytes it has now
     * @throws IOException if a write fails although there is room
     */
    public long fill() throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
        int failures = 0;
        while (true) {
            block.clear();
            try {
                bytes += file.write(block);
                failures = 0;
            } catch (IOException e) {
                if (room.bytes() < BLOCK) {
                    return bytes;
                }
                // Somebody may have deleted files since the write.
                if (++failures == MAX_FAILURES) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
