/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;

/** Checkpoint streams into files of a folder that run an action at chosen moments. */
public final class CheckpointFolder implements CheckpointStreamFactory {

    /** What happens at a moment; the stream throws its exception. */
    public interface Event {
        Event NOTHING = () -> {};

        void happen() throws IOException;
    }

    private final Path folder;
    private final FsCheckpointStreamFactory files;
    private Event creating = Event.NOTHING;
    private Event writing = Event.NOTHING;
    private Event completing = Event.NOTHING;
    private Event completed = Event.NOTHING;

    public CheckpointFolder(Path folder) {
        this.folder = folder;
        var path = new org.apache.flink.core.fs.Path(folder.toUri());
        // Almost no buffer, and even the smallest state has a file.
        files =
                new FsCheckpointStreamFactory(
                        LocalFileSystem.getSharedInstance(), path, path, 0, 1);
    }

    /** Before a stream is made. */
    public CheckpointFolder onCreate(Event event) {
        creating = event;
        return this;
    }

    /** After every write. */
    public CheckpointFolder onWrite(Event event) {
        writing = event;
        return this;
    }

    /** After everything was written, before the handle is made. */
    public CheckpointFolder onComplete(Event event) {
        completing = event;
        return this;
    }

    /** After the handle was made, before it is handed over. */
    public CheckpointFolder onCompleted(Event event) {
        completed = event;
        return this;
    }

    /** The files that are there. */
    public List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.toList();
        }
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        creating.happen();
        return new Watched(files.createCheckpointStateOutputStream(scope));
    }

    @Override
    public boolean canFastDuplicate(StreamStateHandle handle, CheckpointedStateScope scope) {
        return false;
    }

    @Override
    public List<StreamStateHandle> duplicate(
            List<StreamStateHandle> handles, CheckpointedStateScope scope) {
        throw new UnsupportedOperationException();
    }

    private final class Watched extends CheckpointStateOutputStream {
        private final CheckpointStateOutputStream file;

        Watched(CheckpointStateOutputStream file) {
            this.file = file;
        }

        @Override
        public void write(int b) throws IOException {
            file.write(b);
            writing.happen();
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            file.write(bytes, from, length);
            writing.happen();
        }

        @Override
        public long getPos() throws IOException {
            return file.getPos();
        }

        @Override
        public void flush() throws IOException {
            file.flush();
        }

        @Override
        public void sync() throws IOException {
            file.sync();
        }

        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            completing.happen();
            StreamStateHandle handle = file.closeAndGetHandle();
            completed.happen();
            return handle;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
