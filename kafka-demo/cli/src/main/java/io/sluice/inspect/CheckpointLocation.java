/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * Where the metadata of a checkpoint or savepoint is.
 *
 * @param metadata the file
 * @param directory that it is in
 * @param chosenFrom the other checkpoints of the same job, if a directory of several was given;
 *     {@code metadata} is then the latest
 */
@Internal
public record CheckpointLocation(Path metadata, Path directory, List<String> chosenFrom) {

    static final String METADATA = "_metadata";

    private static final Pattern CHECKPOINT = Pattern.compile("chk-(\\d{1,18})");

    /** A scheme of one letter is a drive. */
    private static final Pattern URI_SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

    private static final int MAX_NAMED = 8;

    public CheckpointLocation {
        chosenFrom = List.copyOf(chosenFrom);
    }

    /**
     * Finds it.
     *
     * @param given path or URI of the metadata, of its directory, or of a directory of {@code
     *     chk-...}
     * @throws IOException in one line, if there is none
     */
    public static CheckpointLocation find(String given) throws IOException {
        Path path = path(given);
        FileSystem files = fileSystem(path);
        FileStatus status;
        try {
            status = files.getFileStatus(path);
        } catch (FileNotFoundException e) {
            throw notFound(given + " does not exist: give the directory of a checkpoint", e);
        }
        if (!status.isDir()) {
            return new CheckpointLocation(path, path.getParent(), List.of());
        }
        Path metadata = new Path(path, METADATA);
        if (files.exists(metadata)) {
            return new CheckpointLocation(metadata, path, List.of());
        }
        return latest(given, path, files);
    }

    /**
     * Returns a path or URI as Flink takes it. Plain paths are local files, whatever Flink's
     * default file system is.
     */
    public static Path path(String given) throws IOException {
        try {
            return URI_SCHEME.matcher(given).matches()
                    ? new Path(URI.create(given))
                    : new Path(Paths.get(given).toAbsolutePath().normalize().toUri());
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "'" + given + "' is neither a path nor a URI: " + e.getMessage(), e);
        }
    }

    static FileSystem fileSystem(Path path) throws IOException {
        try {
            return path.getFileSystem();
        } catch (IOException e) {
            throw new IOException(
                    path
                            + " is on a file system that is not here: copy the checkpoint to a"
                            + " local directory, or set FLINK_PLUGINS_DIR to the plugins of a Flink"
                            + " distribution ("
                            + e.getMessage()
                            + ")",
                    e);
        }
    }

    private static CheckpointLocation latest(String given, Path path, FileSystem files)
            throws IOException {
        List<Path> checkpoints = new ArrayList<>();
        List<String> below = new ArrayList<>();
        for (FileStatus child : list(files, path)) {
            if (child.isDir()) {
                boolean isComplete = files.exists(new Path(child.getPath(), METADATA));
                if (isComplete && number(child.getPath()).isPresent()) {
                    checkpoints.add(child.getPath());
                } else if (isComplete) {
                    below.add(child.getPath().getName());
                } else {
                    for (FileStatus grandchild : list(files, child.getPath())) {
                        if (grandchild.isDir()
                                && files.exists(new Path(grandchild.getPath(), METADATA))) {
                            below.add(
                                    child.getPath().getName()
                                            + "/"
                                            + grandchild.getPath().getName());
                        }
                    }
                }
            }
        }
        if (checkpoints.isEmpty()) {
            throw new FileNotFoundException(
                    given
                            + " has no "
                            + METADATA
                            + (below.isEmpty()
                                    ? ": give the directory of a completed checkpoint or savepoint"
                                    : "; give one of those below it: " + some(below)));
        }
        checkpoints.sort(Comparator.comparingLong(chk -> number(chk).orElse(-1)));
        Path newest = checkpoints.remove(checkpoints.size() - 1);
        return new CheckpointLocation(
                new Path(newest, METADATA),
                newest,
                checkpoints.stream().map(Path::getName).toList());
    }

    private static FileStatus[] list(FileSystem files, Path path) throws IOException {
        FileStatus[] children = files.listStatus(path);
        return children == null ? new FileStatus[0] : children;
    }

    private static OptionalLong number(Path checkpoint) {
        Matcher matcher = CHECKPOINT.matcher(checkpoint.getName());
        return matcher.matches()
                ? OptionalLong.of(Long.parseLong(matcher.group(1)))
                : OptionalLong.empty();
    }

    private static String some(List<String> names) {
        List<String> sorted = names.stream().sorted().toList();
        return sorted.size() <= MAX_NAMED
                ? String.join(", ", sorted)
                : String.join(", ", sorted.subList(0, MAX_NAMED))
                        + " and "
                        + (sorted.size() - MAX_NAMED)
                        + " more";
    }

    private static IOException notFound(String message, IOException cause) {
        IOException exception = new FileNotFoundException(message);
        exception.initCause(cause);
        return exception;
    }
}
