/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Appends to a channel. The system's error messages do not name the file, so this class adds its
 * name.
 */
final class NioWritableFile implements WritableFile {

    private final Path path;
    private final FileChannel channel;

    NioWritableFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    @Override
    public void write(ByteBuffer bytes) throws IOException {
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw failed("written", e);
        }
    }

    @Override
    public void sync() throws IOException {
        try {
            channel.force(true);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw failed("made durable", e);
        }
    }

    private IOException failed(String what, IOException cause) {
        return new IOException(path + " could not be " + what + ": " + cause.getMessage(), cause);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
