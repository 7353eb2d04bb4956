/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.schedules;

import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.DirectoryLock;
import io.sluice.filter.storage.ReadableFile;
import io.sluice.filter.storage.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Another directory, that knows which of its files are open. */
public final class OpenFiles implements Directory {

    private final Directory inner;

    /** Guarded by this. */
    private final List<String> open = new ArrayList<>();

    public OpenFiles(Directory inner) {
        this.inner = inner;
    }

    /** Names, as often as they are open. */
    public synchronized List<String> open() {
        return List.copyOf(open);
    }

    private synchronized void opened(String name) {
        open.add(name);
    }

    private synchronized void closed(String name) {
        open.remove(name);
    }

    @Override
    public WritableFile create(String name) throws IOException {
        WritableFile file = inner.create(name);
        opened(name);
        return new WritableFile() {
            private boolean isClosed;

            @Override
            public void write(ByteBuffer bytes) throws IOException {
                file.write(bytes);
            }

            @Override
            public void sync() throws IOException {
                file.sync();
            }

            @Override
            public void close() throws IOException {
                file.close();
                if (!isClosed) {
                    isClosed = true;
                    closed(name);
                }
            }
        };
    }

    @Override
    public ReadableFile open(String name) throws IOException {
        ReadableFile file = inner.open(name);
        opened(name);
        return new ReadableFile() {
            private boolean isClosed;

            @Override
            public int read(long position, ByteBuffer into) throws IOException {
                return file.read(position, into);
            }

            @Override
            public long length() throws IOException {
                return file.length();
            }

            @Override
            public void close() throws IOException {
                file.close();
                if (!isClosed) {
                    isClosed = true;
                    closed(name);
                }
            }
        };
    }

    @Override
    public List<String> list() throws IOException {
        return inner.list();
    }

    @Override
    public long length(String name) throws IOException {
        return inner.length(name);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        inner.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        inner.delete(name);
    }

    @Override
    public void sync() throws IOException {
        inner.sync();
    }

    @Override
    public DirectoryLock lock() throws IOException {
        return inner.lock();
    }
}
