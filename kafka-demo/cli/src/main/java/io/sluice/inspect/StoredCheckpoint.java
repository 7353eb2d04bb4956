/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Locale;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;

/**
 * The metadata of a checkpoint or savepoint, as Flink reads it.
 *
 * @param location where it is
 * @param metadata what it says
 * @param metadataBytes length of the file
 * @param classLoader finds the classes that descriptions of states name
 */
@Internal
public record StoredCheckpoint(
        CheckpointLocation location,
        CheckpointMetadata metadata,
        long metadataBytes,
        ClassLoader classLoader) {

    /**
     * Reads the metadata, and no other file.
     *
     * @throws IOException in one line that names the file, if it is not there or is something else
     */
    public static StoredCheckpoint load(CheckpointLocation location, ClassLoader classLoader)
            throws IOException {
        FileSystem files = CheckpointLocation.fileSystem(location.metadata());
        long length = files.getFileStatus(location.metadata()).getLen();
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(files.open(location.metadata())))) {
            CheckpointMetadata metadata =
                    Checkpoints.loadCheckpointMetadata(
                            in, classLoader, location.directory().toString());
            if (in.read() >= 0) {
                throw new IOException("something follows its last byte");
            }
            return new StoredCheckpoint(location, metadata, length, classLoader);
        } catch (FileNotFoundException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw unreadable(location, e);
        } catch (OutOfMemoryError | StackOverflowError e) {
            // Flink believes every count that it reads. An array that is refused, or handles nested
            // without end, leave the heap as it was: these counts are damage.
            throw unreadable(location, e);
        }
    }

    private static IOException unreadable(CheckpointLocation location, Throwable cause) {
        return new IOException(
                location.metadata()
                        + " cannot be read as the metadata of a checkpoint; it is damaged, cut, of"
                        + " another release of Flink, or something else: "
                        + (cause.getMessage() == null ? cause.toString() : cause.getMessage()),
                cause);
    }

    /** {@code checkpoint}, {@code native savepoint}, {@code canonical savepoint} or the like. */
    String kind() {
        CheckpointProperties properties = metadata.getCheckpointProperties();
        if (properties == null) {
            return "checkpoint or savepoint";
        }
        return properties.getCheckpointType() instanceof SavepointType savepoint
                ? savepoint.getFormatType().name().toLowerCase(Locale.ROOT) + " savepoint"
                : "checkpoint";
    }
}
