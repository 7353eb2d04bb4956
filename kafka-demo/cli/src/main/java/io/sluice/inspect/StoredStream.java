/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filemerging.SegmentFileStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * A stream of bytes that belongs to a checkpoint: a file, a part of one, or bytes in the metadata.
 *
 * @param subtask index; -1 if it is the operator's
 * @param role what is in it
 */
record StoredStream(int subtask, String role, StreamStateHandle handle) {

    /** How files name what is in the metadata itself. */
    static final String INLINE = "in " + CheckpointLocation.METADATA;

    long bytes() {
        return handle.getStateSize();
    }

    /** Empty if it is in the metadata. */
    Optional<Path> path() {
        if (handle instanceof FileStateHandle file) {
            return Optional.of(file.getFilePath());
        }
        return handle instanceof SegmentFileStateHandle segment
                ? Optional.ofNullable(segment.getFilePath())
                : Optional.empty();
    }

    /** Where it begins in its file. */
    long startsAt() {
        return handle instanceof SegmentFileStateHandle segment ? segment.getStartPos() : 0;
    }

    /** The file, and which part of it, if it is not alone there. */
    String name() {
        String file = path().map(Path::toString).orElse(INLINE);
        return handle instanceof SegmentFileStateHandle && path().isPresent()
                ? file + "@" + startsAt()
                : file;
    }

    /**
     * What is wrong with the file without looking into it: it is gone, or has another length.
     *
     * @return null if nothing is
     * @throws IOException if that cannot be told
     */
    @Nullable
    Problem lookForProblem() throws IOException {
        Path path = path().orElse(null);
        if (path == null) {
            return null;
        }
        long length;
        try {
            length = CheckpointLocation.fileSystem(path).getFileStatus(path).getLen();
        } catch (FileNotFoundException e) {
            return new Problem(name(), null, "the file is missing");
        }
        long expected = startsAt() + bytes();
        boolean isPart = handle instanceof SegmentFileStateHandle;
        if (isPart ? length >= expected : length == expected) {
            return null;
        }
        return new Problem(
                name(),
                Math.min(length, expected),
                "has " + length + " bytes, but the checkpoint says " + expected);
    }
}
