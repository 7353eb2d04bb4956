/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.persistence.IntegerResourceVersion;
import org.apache.flink.runtime.persistence.StateHandleStore;
import org.apache.flink.runtime.state.RetrievableStateHandle;
import org.apache.flink.runtime.state.RetrievableStreamStateHandle;
import org.apache.flink.util.InstantiationUtil;

/** A folder with a file for each entry. Nobody else writes there, so nothing is locked. */
final class FileStateHandleStore<T extends Serializable>
        implements StateHandleStore<T, IntegerResourceVersion> {
    private final Path folder;

    FileStateHandleStore(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    @Override
    public RetrievableStateHandle<T> addAndLock(String name, T state) throws Exception {
        if (Files.exists(folder.resolve(name))) {
            throw new AlreadyExistException(folder.resolve(name) + " exists already");
        }
        return write(name, state);
    }

    @Override
    public void replace(String name, IntegerResourceVersion version, T state) throws Exception {
        requireEntry(name);
        write(name, state);
    }

    private RetrievableStateHandle<T> write(String name, T state) throws IOException {
        WholeFile.write(folder.resolve(name), InstantiationUtil.serializeObject(state));
        return handle(name);
    }

    @Override
    public IntegerResourceVersion exists(String name) {
        return Files.exists(folder.resolve(name))
                ? IntegerResourceVersion.valueOf(0)
                : IntegerResourceVersion.notExisting();
    }

    @Override
    public RetrievableStateHandle<T> getAndLock(String name) throws Exception {
        requireEntry(name);
        return handle(name);
    }

    @Override
    public List<Tuple2<RetrievableStateHandle<T>, String>> getAllAndLock() throws IOException {
        List<Tuple2<RetrievableStateHandle<T>, String>> all = new ArrayList<>();
        for (String name : getAllHandles()) {
            all.add(Tuple2.of(handle(name), name));
        }
        return all;
    }

    @Override
    public Collection<String> getAllHandles() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith(WholeFile.UNFINISHED))
                    .sorted()
                    .toList();
        }
    }

    @Override
    public boolean releaseAndTryRemove(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
        return true;
    }

    @Override
    public void clearEntries() throws IOException {
        for (String name : getAllHandles()) {
            releaseAndTryRemove(name);
        }
    }

    @Override
    public void release(String name) {}

    @Override
    public void releaseAll() {}

    private void requireEntry(String name) throws NotExistException {
        if (!Files.exists(folder.resolve(name))) {
            throw new NotExistException(folder.resolve(name) + " does not exist");
        }
    }

    private RetrievableStateHandle<T> handle(String name) throws IOException {
        Path file = folder.resolve(name);
        return new RetrievableStreamStateHandle<>(
                new org.apache.flink.core.fs.Path(file.toUri()), Files.size(file));
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
