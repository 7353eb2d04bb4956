/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.CompositeManifest.DelegateKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateObject;

/**
 * Says what is in a checkpoint. Reads its metadata, the headers of the operators' key groups and
 * the manifests of the cascade state backend: kilobytes for each key group and subtask, whatever
 * the size of the checkpoint.
 */
@Internal
public final class Inspector {

    private final StoredCheckpoint checkpoint;
    private final List<Problem> problems = new ArrayList<>();

    /** Bytes by the name of the stream. */
    private final Map<String, Long> distinct = new HashMap<>();

    private final Set<String> distinctFiles = new HashSet<>();

    private Inspector(StoredCheckpoint checkpoint) {
        this.checkpoint = checkpoint;
    }

    /** What is in it; what cannot be read is among its problems. */
    public static Inspection inspect(StoredCheckpoint checkpoint) {
        return new Inspector(checkpoint).inspect();
    }

    private Inspection inspect() {
        List<OperatorReport> operators = new ArrayList<>();
        for (OperatorState operator : checkpoint.metadata().getOperatorStates()) {
            operators.add(new OfOperator(operator).report());
        }
        long bytes = distinct.values().stream().mapToLong(Long::longValue).sum();
        return new Inspection(
                Inspection.VERSION,
                checkpoint.location().directory().toString(),
                checkpoint.location().chosenFrom(),
                checkpoint.kind(),
                checkpoint.metadata().getCheckpointId(),
                checkpoint.metadataBytes(),
                bytes + checkpoint.metadataBytes(),
                distinctFiles.size(),
                operators,
                problems);
    }

    private final class OfOperator {
        private final OperatorState operator;
        private final List<StoredStream> streams = new ArrayList<>();
        private final FilterSummary filters = new FilterSummary();
        private final Map<String, CascadeSummary> cascades = new TreeMap<>();
        private final Map<String, OtherTotals> others = new LinkedHashMap<>();

        OfOperator(OperatorState operator) {
            this.operator = operator;
        }

        OperatorReport report() {
            Handles.subtasks(operator).forEach(this::add);
            if (operator.getCoordinatorState() != null) {
                StoredStream stream =
                        new StoredStream(-1, "coordinator", operator.getCoordinatorState());
                use(stream);
                other("coordinator", "flink", List.of(stream));
            }
            List<StateReport> states = new ArrayList<>();
            if (!filters.isEmpty()) {
                states.add(filters.report());
            }
            cascades.values().forEach(summary -> states.add(summary.report()));
            others.values().forEach(totals -> states.add(totals.report()));
            return new OperatorReport(
                    operator.getOperatorUid().orElse(null),
                    operator.getOperatorName().orElse(null),
                    operator.getOperatorID().toHexString(),
                    operator.getParallelism(),
                    operator.getMaxParallelism(),
                    operator.isFullyFinished(),
                    operator.getStateSize(),
                    states,
                    streams.stream()
                            .map(
                                    stream ->
                                            new FileReport(
                                                    stream.name(),
                                                    stream.subtask(),
                                                    stream.role(),
                                                    stream.bytes()))
                            .toList());
        }

        private void add(int subtask, OperatorSubtaskState state) {
            for (KeyedStateHandle handle : Handles.materialized(state.getRawKeyedState())) {
                addRaw(Handles.streams(subtask, handle), handle);
            }
            for (KeyedStateHandle handle : Handles.materialized(state.getManagedKeyedState())) {
                addManaged(subtask, Handles.streams(subtask, handle), handle);
            }
            for (var named : Handles.unkeyed(state).entrySet()) {
                for (StateObject object : named.getValue()) {
                    List<StoredStream> parts = Handles.streams(subtask, named.getKey(), object);
                    parts.forEach(this::use);
                    other(named.getKey(), "flink", parts);
                }
            }
        }

        private void addRaw(List<StoredStream> parts, KeyedStateHandle handle) {
            parts.forEach(this::use);
            try {
                if (handle instanceof KeyGroupsStateHandle keyGroups
                        && FilterSummary.isOurs(keyGroups)) {
                    filters.add(parts.get(0), keyGroups, problems::add);
                    return;
                }
            } catch (IOException e) {
                problem(parts, e);
            }
            other("raw keyed state", "another operator", parts);
        }

        private void addManaged(int subtask, List<StoredStream> parts, KeyedStateHandle handle) {
            parts.forEach(this::use);
            KeyedParts ours = read(subtask, parts, handle);
            if (ours == null) {
                other("keyed state", KeyedParts.engineOf(handle), parts);
            } else if (ours.isCanonical()) {
                long ourFiles =
                        ours.parts().files().values().stream()
                                .mapToLong(StateObject::getStateSize)
                                .sum();
                totals("keyed state", "any, canonical savepoint")
                        .add(parts.get(0).bytes() - ourFiles, parts);
            } else if (ours.manifest().delegate().kind() != DelegateKind.NONE
                    || ours.manifest().heapOffsets().length > 0) {
                // The other files are in the reports of their states.
                other(
                        "keyed state",
                        ours.manifest().delegate().kind() == DelegateKind.NONE
                                ? "what is on the heap"
                                : "cascade's delegate, " + ours.manifest().delegate().type(),
                        parts.stream()
                                .filter(part -> !ours.parts().files().containsValue(part.handle()))
                                .toList());
            }
        }

        /** Null if it is not ours, or cannot be read. */
        @Nullable
        private KeyedParts read(int subtask, List<StoredStream> parts, KeyedStateHandle handle) {
            String source = "subtask " + subtask;
            try {
                KeyedParts ours =
                        KeyedParts.of(handle, source, checkpoint.classLoader()).orElse(null);
                if (ours != null) {
                    add(ours, source);
                }
                return ours;
            } catch (IOException e) {
                problem(parts, e);
                return null;
            }
        }

        private void add(KeyedParts ours, String source) throws IOException {
            for (CompositeManifest.StatePart state : ours.manifest().states()) {
                cascades.computeIfAbsent(
                                state.info().name(), name -> new CascadeSummary(state.info()))
                        .add(state, ours.parts(), source + ", state " + state.info().name());
            }
        }

        private void problem(List<StoredStream> parts, IOException e) {
            problems.add(
                    parts.isEmpty()
                            ? new Problem(
                                    operator.getOperatorID().toHexString(), null, e.toString())
                            : Problem.of(parts.get(0), 0, e));
        }

        private void use(StoredStream stream) {
            streams.add(stream);
            boolean isNew = stream.path().isPresent() && distinctFiles.add(stream.name());
            if (isNew) {
                distinct.put(stream.name(), stream.bytes());
            }
        }

        private void other(String state, String engine, List<StoredStream> parts) {
            totals(state, engine).add(parts.stream().mapToLong(StoredStream::bytes).sum(), parts);
        }

        private OtherTotals totals(String state, String engine) {
            return others.computeIfAbsent(
                    state + " " + engine, key -> new OtherTotals(state, engine));
        }
    }

    private static final class OtherTotals {
        private final String state;
        private final String engine;
        private final Set<String> files = new HashSet<>();
        private long bytes;

        OtherTotals(String state, String engine) {
            this.state = state;
            this.engine = engine;
        }

        void add(long more, List<StoredStream> parts) {
            bytes += more;
            parts.stream()
                    .filter(part -> part.path().isPresent())
                    .forEach(part -> files.add(part.name()));
        }

        OtherReport report() {
            return new OtherReport(state, engine, bytes, files.size());
        }
    }
}
