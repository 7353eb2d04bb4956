/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.ArrayList;
import java.util.List;

/**
 * Takes pins away, and collects the files and buffers that nothing needs any more, until they are
 * closed, deleted or cleared.
 *
 * <p>Guarded by the {@link Catalog}.
 */
final class Releases {

    private final List<StoredFile> files = new ArrayList<>();
    private final List<EntryBuffer> buffers = new ArrayList<>();

    /** A reader lets go of a version; the last one's buffers and files are unpinned. */
    void unpin(Version version) {
        if (version.unpin()) {
            version.frozen().forEach(FrozenBuffer::removeReader);
            version.frozen().forEach(this::settle);
            version.files().forEach(file -> unpin(file.stored()));
        }
    }

    void unpin(FrozenBuffer buffer) {
        buffer.unpin();
        settle(buffer);
    }

    void unpin(StoredFile file) {
        if (file.unpin()) {
            files.add(file);
        }
    }

    /** Must be called when less needs a buffer than before. */
    void settle(FrozenBuffer buffer) {
        if (buffer.releasesMemory()) {
            buffers.add(buffer.buffer());
        }
        if (buffer.releasesFile()) {
            unpin(buffer.file().stored());
        }
    }

    boolean isEmpty() {
        return files.isEmpty() && buffers.isEmpty();
    }

    /** Files that were not taken. */
    List<StoredFile> files() {
        return List.copyOf(files);
    }

    List<StoredFile> takeFiles() {
        List<StoredFile> taken = files();
        files.clear();
        return taken;
    }

    List<EntryBuffer> takeBuffers() {
        List<EntryBuffer> taken = List.copyOf(buffers);
        buffers.clear();
        return taken;
    }
}
