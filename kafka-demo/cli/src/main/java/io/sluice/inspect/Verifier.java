/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.inspect.FileCheck.Status;
import io.sluice.state.snapshot.CanonicalHandle;
import io.sluice.state.snapshot.CompositeHandle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Reads every byte that belongs to a checkpoint, once, and says which bytes are not what was
 * written, which files are gone or have another length, and what nobody can check.
 */
@Internal
public final class Verifier {

    private final StoredCheckpoint checkpoint;
    private final ReadProgress progress;
    private final List<Task> tasks = new ArrayList<>();

    /** A file may belong to several subtasks; it is read once. */
    private final Set<String> taken = new HashSet<>();

    private long total;
    private long read;

    private long told;

    private Verifier(StoredCheckpoint checkpoint, ReadProgress progress) {
        this.checkpoint = checkpoint;
        this.progress = progress;
        this.total = checkpoint.metadataBytes();
    }

    private record Task(String operator, StoredStream stream, Check check) {}

    @FunctionalInterface
    private interface Check {
        void run(StreamCheck check) throws IOException;
    }

    /** Reads and checks everything. */
    public static Verification verify(StoredCheckpoint checkpoint, ReadProgress progress) {
        return new Verifier(checkpoint, progress).verify();
    }

    private Verification verify() {
        for (OperatorState operator : checkpoint.metadata().getOperatorStates()) {
            plan(operator);
        }
        List<FileCheck> files = new ArrayList<>();
        files.add(metadata());
        for (Task task : tasks) {
            files.add(run(task));
        }
        // What is in the metadata is a part of that file.
        long bytes =
                files.stream()
                        .filter(file -> !file.file().equals(StoredStream.INLINE))
                        .mapToLong(FileCheck::bytes)
                        .sum();
        long checked = files.stream().mapToLong(FileCheck::checkedBytes).sum();
        long damaged =
                files.stream()
                        .filter(file -> file.status() == Status.DAMAGED)
                        .mapToLong(file -> file.bytes() - file.checkedBytes())
                        .sum();
        return new Verification(
                Verification.VERSION,
                checkpoint.location().directory().toString(),
                checkpoint.location().chosenFrom(),
                checkpoint.metadata().getCheckpointId(),
                files.stream().allMatch(file -> file.problems().isEmpty()),
                bytes,
                checked,
                bytes - checked - damaged,
                files);
    }

    /** It could be read, or there would be no checkpoint to verify. */
    private FileCheck metadata() {
        return new FileCheck(
                checkpoint.location().metadata().toString(),
                "",
                -1,
                "Flink's metadata",
                checkpoint.metadataBytes(),
                0,
                Status.UNCHECKED,
                List.of());
    }

    private FileCheck run(Task task) {
        StoredStream stream = task.stream;
        long before = read;
        StreamCheck check =
                new StreamCheck(
                        stream,
                        bytes -> {
                            read += bytes;
                            tell();
                        });
        try {
            Problem atOnce = stream.lookForProblem();
            if (atOnce != null) {
                check.problem(atOnce);
            } else {
                task.check.run(check);
            }
        } catch (IOException | RuntimeException e) {
            check.problem(0, e);
        }
        // Indexes are read twice, and damaged files not to their end.
        read = before + stream.bytes();
        tell();
        return new FileCheck(
                stream.name(),
                task.operator,
                stream.subtask(),
                stream.role(),
                stream.bytes(),
                check.checkedBytes(),
                status(stream, check),
                check.problems());
    }

    /** ReadProgress does not go back. */
    private void tell() {
        told = Math.max(told, Math.min(read, total));
        progress.at(told, total);
    }

    private static Status status(StoredStream stream, StreamCheck check) {
        if (!check.problems().isEmpty()) {
            return Status.DAMAGED;
        }
        if (check.checkedBytes() >= stream.bytes()) {
            return Status.OK;
        }
        return check.checkedBytes() > 0 ? Status.PARTLY : Status.UNCHECKED;
    }

    private void plan(OperatorState operator) {
        String title =
                operator.getOperatorUid()
                        .or(operator::getOperatorName)
                        .orElse(operator.getOperatorID().toHexString());
        if (operator.getCoordinatorState() != null) {
            StoredStream stream =
                    new StoredStream(-1, "coordinator", operator.getCoordinatorState());
            add(title, stream, StreamCheck::readOnly);
        }
        Handles.subtasks(operator).forEach((subtask, state) -> plan(title, subtask, state));
    }

    private void plan(String title, int subtask, OperatorSubtaskState state) {
        for (KeyedStateHandle handle : Handles.materialized(state.getRawKeyedState())) {
            for (StoredStream stream : Handles.streams(subtask, handle)) {
                add(title, stream, check -> checkRaw(handle, check));
            }
        }
        for (KeyedStateHandle handle : Handles.materialized(state.getManagedKeyedState())) {
            planManaged(title, subtask, handle);
        }
        for (var named : Handles.unkeyed(state).entrySet()) {
            for (StateObject object : named.getValue()) {
                Handles.streams(subtask, named.getKey(), object)
                        .forEach(stream -> add(title, stream, StreamCheck::readOnly));
            }
        }
    }

    private static void checkRaw(KeyedStateHandle handle, StreamCheck check) throws IOException {
        if (handle instanceof KeyGroupsStateHandle keyGroups && FilterSummary.isOurs(keyGroups)) {
            check.checkKeyGroups(keyGroups);
        } else {
            check.readOnly();
        }
    }

    private void planManaged(String title, int subtask, KeyedStateHandle handle) {
        List<StoredStream> streams = Handles.streams(subtask, handle);
        CompositeHandle composite =
                handle instanceof IncrementalRemoteKeyedStateHandle
                        ? CompositeHandle.of(handle).orElse(null)
                        : null;
        if (composite == null) {
            streams.forEach(
                    stream -> add(title, stream, check -> checkStream(stream, handle, check)));
            return;
        }
        ExpectedFiles expected = expected(handle);
        Map<StreamStateHandle, String> names = new HashMap<>();
        composite.files().forEach((name, file) -> names.put(file, name));
        for (StoredStream stream : streams) {
            String name = names.get(stream.handle());
            if (stream.role().equals(Handles.METADATA)) {
                add(title, stream, StreamCheck::checkManifest);
            } else if (name != null) {
                add(title, stream, check -> expected.check(name, stream.handle(), 0, check));
            } else {
                add(title, stream, StreamCheck::readOnly);
            }
        }
    }

    /** If the manifest cannot be read, which its own check tells, files speak for themselves. */
    private ExpectedFiles expected(KeyedStateHandle handle) {
        try {
            KeyedParts parts = KeyedParts.of(handle, "", checkpoint.classLoader()).orElse(null);
            return parts == null ? ExpectedFiles.NONE : ExpectedFiles.of(parts.manifest());
        } catch (IOException e) {
            return ExpectedFiles.NONE;
        }
    }

    /** A stream of a keyed backend: a canonical savepoint may have our files in it. */
    private void checkStream(StoredStream stream, KeyedStateHandle handle, StreamCheck check)
            throws IOException {
        KeyedParts parts =
                KeyedParts.of(handle, "the manifest", checkpoint.classLoader()).orElse(null);
        if (parts == null || !(parts.parts() instanceof CanonicalHandle canonical)) {
            check.readOnly();
            return;
        }
        check.checkedElsewhere(canonical.manifestBytes());
        ExpectedFiles expected = ExpectedFiles.of(parts.manifest());
        for (var file : canonical.files().entrySet()) {
            long at = canonical.positionOf(file.getKey());
            expected.check(file.getKey(), file.getValue(), at, check);
        }
        check.readOnly(canonical.entriesAt(), stream.bytes());
    }

    private void add(String title, StoredStream stream, Check check) {
        if (stream.path().isEmpty() || taken.add(stream.name())) {
            tasks.add(new Task(title, stream, check));
            total += stream.bytes();
        }
    }
}
