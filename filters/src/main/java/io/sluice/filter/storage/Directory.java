/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import java.io.IOException;
import java.util.List;

/**
 * A flat directory of write-once files: all that a structure on disk asks of the operating system,
 * so that tests can inject crashes and failures between it and the disk.
 *
 * <p>Two things have to be made durable separately: the content of a file ({@link
 * WritableFile#sync}), and its name ({@link #sync}). What was not synced may be gone after a crash,
 * in whole or in part. The usual order is: write and sync the file under a temporary name, rename
 * it, sync the directory; only then delete what it replaces.
 *
 * <p>A name is a non-empty string without a slash that does not begin with a dot.
 *
 * <p>Implementations are thread-safe. {@code toString} names the place, for messages.
 */
public interface Directory {

    /**
     * Creates an empty file and opens it for writing. It can be read while it is written.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is a file of this name
     */
    WritableFile create(String name) throws IOException;

    /**
     * Opens a file for reading. An open file can still be read after it was deleted or renamed.
     *
     * @throws java.nio.file.NoSuchFileException if there is none of this name
     */
    ReadableFile open(String name) throws IOException;

    /** Names of all files, in ascending order. */
    List<String> list() throws IOException;

    /**
     * Bytes in a file.
     *
     * @throws java.nio.file.NoSuchFileException if there is none of this name
     */
    long length(String name) throws IOException;

    /**
     * Gives a file another name, atomically: after a crash it has one of the two. Not durable
     * before {@link #sync}.
     *
     * @throws java.nio.file.NoSuchFileException if there is no file {@code from}
     * @throws java.nio.file.FileAlreadyExistsException if there is a file {@code to}
     */
    void rename(String from, String to) throws IOException;

    /**
     * Deletes a file. Not durable before {@link #sync}.
     *
     * @throws java.nio.file.NoSuchFileException if there is none of this name
     */
    void delete(String name) throws IOException;

    /** Makes all creations, renamings and deletions until now durable. */
    void sync() throws IOException;

    /**
     * Takes the directory exclusively for this caller in this process, until the lock is closed or
     * the process ends. Meanwhile only further calls of this method are refused.
     *
     * @throws DirectoryLockedException if it is taken
     */
    DirectoryLock lock() throws IOException;
}
