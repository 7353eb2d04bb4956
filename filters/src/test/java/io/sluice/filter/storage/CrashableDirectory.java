/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A directory in memory that knows what a power cut would leave of it: {@link #crashClone} is the
 * directory as it is found after one. Names revert to the last {@link #sync}, files to their last
 * {@link WritableFile#sync}; a random clone keeps some of what came after, as disks do.
 */
public final class CrashableDirectory implements Directory {

    /** Smallest part of a file that reaches a disk whole. */
    private static final int SECTOR_BYTES = 512;

    /** What a file holds, whatever its name. */
    private static final class Content {
        private byte[] bytes = new byte[SECTOR_BYTES];
        private int length;
        private int durableLength;

        private void append(ByteBuffer from) {
            int end = Math.addExact(length, from.remaining());
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
            }
            from.get(bytes, length, end - length);
            length = end;
        }

        private Content cut(int newLength) {
            Content cut = new Content();
            cut.bytes = Arrays.copyOf(bytes, Math.max(newLength, SECTOR_BYTES));
            cut.length = newLength;
            cut.durableLength = newLength;
            return cut;
        }

        /**
         * All synced bytes, and none of the others, a first part of them, or all except some
         * sectors.
         */
        private Content torn(SplittableRandom random) {
            int lost = length - durableLength;
            int kind = random.nextInt(3);
            if (kind == 0) {
                return cut(durableLength);
            }
            if (kind == 1) {
                return cut(durableLength + random.nextInt(lost + 1));
            }
            Content torn = cut(length);
            for (int at = durableLength; at < length; at += SECTOR_BYTES) {
                if (random.nextInt(4) == 0) {
                    Arrays.fill(torn.bytes, at, Math.min(length, at + SECTOR_BYTES), (byte) 0);
                }
            }
            return torn;
        }
    }

    /** A change of names: {@code removed} goes, {@code added} comes; either may be null. */
    private static final class Change {
        private final String removed;
        private final String added;
        private final Content content;

        private Change(String removed, String added, Content content) {
            this.removed = removed;
            this.added = added;
            this.content = content;
        }

        private void applyTo(Map<String, Content> names) {
            if (removed != null) {
                names.remove(removed);
            }
            if (added != null) {
                names.put(added, content);
            }
        }
    }

    private final TreeMap<String, Content> files = new TreeMap<>();
    private final TreeMap<String, Content> durableFiles = new TreeMap<>();

    /** Since the last sync, oldest first. */
    private final List<Change> unsynced = new ArrayList<>();

    private boolean locked;

    /** What is left when all that was not synced is lost. */
    public synchronized CrashableDirectory crashClone() {
        CrashableDirectory clone = new CrashableDirectory();
        durableFiles.forEach(
                (name, content) -> clone.put(name, content.cut(content.durableLength)));
        return clone;
    }

    /**
     * What may be left: a first part of the changes of names (file systems keep them in order), and
     * none of the unsynced bytes, a first part of them, or all except some sectors, which are 0.
     */
    public synchronized CrashableDirectory crashClone(SplittableRandom random) {
        TreeMap<String, Content> left = new TreeMap<>(durableFiles);
        int kept = random.nextInt(unsynced.size() + 1);
        unsynced.subList(0, kept).forEach(change -> change.applyTo(left));
        CrashableDirectory clone = new CrashableDirectory();
        left.forEach((name, content) -> clone.put(name, content.torn(random)));
        return clone;
    }

    /** All bytes of a file. */
    public synchronized byte[] bytes(String name) throws IOException {
        Content content = existing(name);
        return Arrays.copyOf(content.bytes, content.length);
    }

    /** Puts a file of these bytes here, durably; replaces one of this name. */
    public synchronized void put(String name, byte[] bytes) {
        Content content = new Content();
        content.append(ByteBuffer.wrap(bytes));
        content.durableLength = bytes.length;
        put(name, content);
    }

    private void put(String name, Content content) {
        files.put(name, content);
        durableFiles.put(name, content);
    }

    @Override
    public synchronized WritableFile create(String name) throws IOException {
        FileNames.check(name);
        if (files.containsKey(name)) {
            throw new FileAlreadyExistsException(name);
        }
        Content content = new Content();
        change(new Change(null, name, content));
        return new Writing(content);
    }

    @Override
    public synchronized ReadableFile open(String name) throws IOException {
        return new Reading(existing(name));
    }

    @Override
    public synchronized List<String> list() {
        return new ArrayList<>(files.keySet());
    }

    @Override
    public synchronized long length(String name) throws IOException {
        return existing(name).length;
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        FileNames.check(to);
        Content content = existing(from);
        if (files.containsKey(to)) {
            throw new FileAlreadyExistsException(to);
        }
        change(new Change(from, to, content));
    }

    @Override
    public synchronized void delete(String name) throws IOException {
        existing(name);
        change(new Change(name, null, null));
    }

    @Override
    public synchronized void sync() {
        unsynced.forEach(change -> change.applyTo(durableFiles));
        unsynced.clear();
    }

    @Override
    public synchronized DirectoryLock lock() throws IOException {
        if (locked) {
            throw new DirectoryLockedException(toString());
        }
        locked = true;
        boolean[] closed = new boolean[1];
        return () -> {
            synchronized (this) {
                if (!closed[0]) {
                    closed[0] = true;
                    locked = false;
                }
            }
        };
    }

    @Override
    public String toString() {
        return "directory in memory";
    }

    private Content existing(String name) throws IOException {
        FileNames.check(name);
        Content content = files.get(name);
        if (content == null) {
            throw new NoSuchFileException(name);
        }
        return content;
    }

    private void change(Change change) {
        change.applyTo(files);
        unsynced.add(change);
    }

    private final class Writing implements WritableFile {
        private final Content content;
        private boolean closed;

        private Writing(Content content) {
            this.content = content;
        }

        @Override
        public void write(ByteBuffer bytes) throws IOException {
            synchronized (CrashableDirectory.this) {
                checkOpen();
                content.append(bytes);
            }
        }

        @Override
        public void sync() throws IOException {
            synchronized (CrashableDirectory.this) {
                checkOpen();
                content.durableLength = content.length;
            }
        }

        private void checkOpen() throws IOException {
            if (closed) {
                throw new IOException("the file is closed");
            }
        }

        @Override
        public void close() {
            synchronized (CrashableDirectory.this) {
                closed = true;
            }
        }
    }

    private final class Reading implements ReadableFile {
        private final Content content;
        private boolean closed;

        private Reading(Content content) {
            this.content = content;
        }

        @Override
        public int read(long position, ByteBuffer into) throws IOException {
            synchronized (CrashableDirectory.this) {
                if (closed) {
                    throw new IOException("the file is closed");
                }
                int at = (int) Math.min(position, content.length);
                int n = Math.min(into.remaining(), content.length - at);
                into.put(content.bytes, at, n);
                return n;
            }
        }

        @Override
        public long length() {
            synchronized (CrashableDirectory.this) {
                return content.length;
            }
        }

        @Override
        public void close() {
            synchronized (CrashableDirectory.this) {
                closed = true;
            }
        }
    }
}
