/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.schedules;

import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.ForwardingDirectory;
import io.sluice.filter.storage.ReadableFile;
import io.sluice.filter.storage.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Another directory, that knows which of its files are open. */
public final class OpenFiles extends ForwardingDirectory {

    private static final String IS_WRITTEN = ", which is being written";

    /** Guarded by this. */
    private final List<String> open = new ArrayList<>();

    public OpenFiles(Directory inner) {
        super(inner);
    }

    /** Names, as often as they are open; of a file that is being written, with a remark. */
    public synchronized List<String> open() {
        return List.copyOf(open);
    }

    /** Those that are being written. */
    public List<String> written() {
        return open().stream().filter(name -> name.endsWith(IS_WRITTEN)).toList();
    }

    private synchronized void opened(String name) {
        open.add(name);
    }

    private synchronized void closed(String name) {
        open.remove(name);
    }

    @Override
    public WritableFile create(String name) throws IOException {
        WritableFile file = super.create(name);
        opened(name + IS_WRITTEN);
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
                    closed(name + IS_WRITTEN);
                }
            }
        };
    }

    @Override
    public ReadableFile open(String name) throws IOException {
        ReadableFile file = super.open(name);
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
}
