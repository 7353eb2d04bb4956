/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.cascade.CascadeUnion;
import io.sluice.filter.cascade.StoredCascade;
import io.sluice.filter.forgetful.StoredWindow;
import io.sluice.filter.forgetful.WindowUnion;
import io.sluice.flink.counter.StoredCounters;
import io.sluice.flink.dedup.DeduplicatorUnion;
import io.sluice.flink.dedup.StoredDeduplicator;
import io.sluice.inspect.StoredKeyGroups.Body;
import io.sluice.inspect.StoredKeyGroups.KeyGroup;
import io.sluice.state.snapshot.CompositeHandle;
import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.CompositeManifest.FilePart;
import io.sluice.state.snapshot.CompositeManifest.StatePart;
import io.sluice.state.snapshot.NeedsCascadeStateBackend;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Writes a savepoint that goes on as the first of two checkpoints, and knows the ids that either
 * has seen: in the filters of {@code Deduplicate} and {@code IdempotentCounters}, and in the flags
 * of the cascade state backend. All operators are looked at before anything is written: if one has
 * no union, nothing is.
 */
@Internal
public final class StateUnion {

    private final StoredCheckpoint a;
    private final StoredCheckpoint b;
    private final List<String> refused = new ArrayList<>();
    private final List<String> kept = new ArrayList<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private final Map<OperatorState, Plan> plans = new LinkedHashMap<>();
    private final List<UnionReport.SeenSet> seen = new ArrayList<>();

    private StateUnion(StoredCheckpoint a, StoredCheckpoint b) {
        this.a = a;
        this.b = b;
    }

    /** What is united of an operator. */
    private record Plan(
            String title,
            StoredKeyGroups groupsA,
            StoredKeyGroups groupsB,
            @Nullable Tally seen,
            Map<String, StoredFlags> flagsA,
            Map<String, StoredFlags> flagsB) {}

    /** Adds up key groups. */
    private static final class Tally {
        private int keyGroups;
        private long idsA;
        private long idsB;
        private long bytesA;
        private long bytes;
        private double asked;
        private double predicted;

        /** The latest of A and of B, the least long if none is known. */
        private WindowUnion.Clocks clocks = WindowUnion.Clocks.UNKNOWN;

        void tell(@Nullable StoredDeduplicator ofA, @Nullable StoredDeduplicator ofB) {
            clocks =
                    new WindowUnion.Clocks(
                            later(clocks.ofBase(), ofA), later(clocks.ofOther(), ofB));
        }

        private static long later(long clock, @Nullable StoredDeduplicator of) {
            return of == null ? clock : Math.max(clock, of.filter().clock());
        }

        UnionReport.SeenSet report(String operator, @Nullable String state) {
            return new UnionReport.SeenSet(
                    operator, state, keyGroups, idsA, idsB, bytesA, bytes, asked, predicted);
        }
    }

    /**
     * Writes the union, unless an operator is refused.
     *
     * @param out the directory of the savepoint, which must not be there yet
     * @throws IOException in one line, if something cannot be read or written; then nothing stays
     */
    public static UnionReport write(StoredCheckpoint a, StoredCheckpoint b, Path out)
            throws IOException {
        return new StateUnion(a, b).write(out);
    }

    private UnionReport write(Path out) throws IOException {
        Map<String, OperatorState> ofA = StateReconciler.operators(a);
        Map<String, OperatorState> ofB = StateReconciler.operators(b);
        for (Map.Entry<String, OperatorState> operator : ofA.entrySet()) {
            plan(operator.getValue(), ofB.get(operator.getKey()));
        }
        List<String> onlyB = new ArrayList<>();
        ofB.forEach(
                (hash, operator) -> {
                    if (!ofA.containsKey(hash)) {
                        onlyB.add(StateReconciler.title(operator));
                    }
                });
        if (plans.isEmpty() && refused.isEmpty()) {
            refused.add("there is no seen set that both have");
        }
        return refused.isEmpty() ? written(out, onlyB) : report(null, 0, onlyB);
    }

    private UnionReport report(@Nullable String path, long bytes, List<String> onlyB) {
        return new UnionReport(
                UnionReport.VERSION,
                a.location().directory().toString(),
                b.location().directory().toString(),
                path,
                bytes,
                seen,
                refused,
                kept,
                onlyB,
                List.copyOf(warnings));
    }

    private void plan(OperatorState inA, @Nullable OperatorState inB) throws IOException {
        String title = StateReconciler.title(inA);
        if (inB == null) {
            kept.add(title);
            return;
        }
        StoredKeyGroups groupsA = StoredKeyGroups.of(inA);
        StoredKeyGroups groupsB = StoredKeyGroups.of(inB);
        Map<String, StoredFlags> flagsA;
        Map<String, StoredFlags> flagsB;
        String side = "A";
        try {
            flagsA = flags(inA, a);
            side = "B";
            flagsB = flags(inB, b);
        } catch (StoredFlags.InChangelogException e) {
            refused.add(title + " in " + side + ": " + e.getMessage());
            return;
        }
        boolean hasGroups = !groupsA.numbers().isEmpty() || !groupsB.numbers().isEmpty();
        boolean hasFlags = !flagsA.isEmpty() || !flagsB.isEmpty();
        if (!hasGroups && !hasFlags) {
            kept.add(title);
            return;
        }
        String reason = null;
        Tally tally = null;
        if (inA.getMaxParallelism() != inB.getMaxParallelism()) {
            reason =
                    "maximum parallelism "
                            + inA.getMaxParallelism()
                            + " in A and "
                            + inB.getMaxParallelism()
                            + " in B";
        } else if (!groupsA.numbers().equals(groupsB.numbers())) {
            reason =
                    groupsA.numbers().size()
                            + " key groups in A and "
                            + groupsB.numbers().size()
                            + " in B: subtasks had ended in one of them";
        } else {
            tally = new Tally();
            reason = reasonToRefuse(title, groupsA, groupsB, hasFlags, tally);
        }
        if (reason == null) {
            reason = reasonToRefuse(inA, flagsA, flagsB);
        }
        if (reason != null) {
            refused.add(title + ": " + reason);
        } else if (tally.keyGroups == 0 && !hasFlags && tally.asked == 0) {
            kept.add(title);
        } else {
            plans.put(
                    inA,
                    new Plan(
                            title,
                            groupsA,
                            groupsB,
                            tally.asked == 0 ? null : tally,
                            flagsA,
                            flagsB));
        }
    }

    private static Map<String, StoredFlags> flags(OperatorState operator, StoredCheckpoint of)
            throws IOException {
        List<Problem> problems = new ArrayList<>();
        Map<String, StoredFlags> flags = StoredFlags.of(operator, of.classLoader(), problems::add);
        if (!problems.isEmpty()) {
            throw new DamagedFileException(problems.get(0));
        }
        return flags;
    }

    /** Why the key groups of an operator have no union; null if they have one, or no seen set. */
    @Nullable
    private String reasonToRefuse(
            String title,
            StoredKeyGroups groupsA,
            StoredKeyGroups groupsB,
            boolean hasFlags,
            Tally tally)
            throws IOException {
        long forgotten = Long.MIN_VALUE;
        StoredWindow mostForgotten = null;
        for (int keyGroup : groupsA.numbers()) {
            KeyGroup ofA = read(groupsA, keyGroup);
            KeyGroup ofB = read(groupsB, keyGroup);
            String layout = ofA.header().layout();
            StoredDeduplicator idsA = ofA.deduplicator();
            StoredDeduplicator idsB = ofB.deduplicator();
            if (KeyGroup.hasMachines(layout)) {
                continue;
            }
            String reason = StateReconciler.reasonToRefuse(keyGroup, ofA, ofB);
            if (reason == null) {
                reason = DeduplicatorUnion.reasonToRefuse(layout).orElse(null);
            }
            if (reason == null && isAnother(ofA, ofB)) {
                reason = "'" + layout + "' has no seen set that can be united";
            }
            if (reason == null && DeduplicatorUnion.keepsFlags(layout) && !hasFlags) {
                reason = "its ids are in exact state of the backend, which cannot be united";
            }
            if (reason == null && idsA != null && idsB != null) {
                reason = DeduplicatorUnion.reasonToRefuse(idsA, idsB).orElse(null);
                if (reason == null && DeduplicatorUnion.isProcessingTime(layout)) {
                    reason =
                            DeduplicatorUnion.reasonOfClocks(idsA.filter(), idsB.filter())
                                    .orElse(null);
                }
            }
            if (reason != null) {
                return reason;
            }
            if (idsA == null && idsB == null) {
                continue;
            }
            tally.tell(idsA, idsB);
            if (idsA != null) {
                tally.asked = idsA.filter().options().fpp();
            } else if (tally.asked == 0) {
                tally.asked = idsB.filter().options().fpp();
            }
            tally.idsA += idsA == null ? 0 : idsA.filter().ids();
            tally.bytesA += idsA == null ? 0 : idsA.filter().bytes();
            if (idsB != null && idsB.filter().ids() > 0) {
                tally.keyGroups++;
                tally.idsB += idsB.filter().ids();
            }
            if (idsA != null && idsB != null) {
                long from = SampledIds.of(idsA).from();
                forgotten = Math.max(forgotten, forgottenEarlier(from, idsB.filter()));
            } else if (idsB != null
                    && (mostForgotten == null
                            || mostForgotten.coveredSince() < idsB.filter().coveredSince())) {
                mostForgotten = idsB.filter();
            }
            if (StoredCounters.haveOperationsIn(layout)) {
                warnings.add(
                        title
                                + ": operations that only B has counted are known from now on, and"
                                + " not in the totals, which are A's");
            }
        }
        if (mostForgotten != null) {
            long from = SampledIds.windowStart(tally.clocks.ofBase(), mostForgotten.options());
            forgotten = Math.max(forgotten, forgottenEarlier(from, mostForgotten));
        }
        if (forgotten > Long.MIN_VALUE) {
            warnings.add(
                    title
                            + ": B had forgotten ids of before "
                            + Instant.ofEpochMilli(forgotten)
                            + " that are in the window of A: those that A has not seen may pass"
                            + " again");
        }
        return null;
    }

    /** Whether one of them has a structure, and it is not a filter's. */
    private static boolean isAnother(KeyGroup a, KeyGroup b) {
        return (a.header().hasStructure() && a.deduplicator() == null)
                || (b.header().hasStructure() && b.deduplicator() == null);
    }

    /**
     * Up to when B had forgotten ids that A still covers; the least long if not.
     *
     * @param from the time since when A does
     */
    private static long forgottenEarlier(long from, StoredWindow ofB) {
        return ofB.coveredSince() > from ? ofB.coveredSince() : Long.MIN_VALUE;
    }

    private static KeyGroup read(StoredKeyGroups groups, int keyGroup) throws IOException {
        List<Problem> problems = new ArrayList<>();
        KeyGroup read = groups.read(keyGroup, problems::add);
        if (read == null) {
            throw new DamagedFileException(problems.get(0));
        }
        return read;
    }

    /** Why membership states have no union; null if they have one. */
    @Nullable
    private static String reasonToRefuse(
            OperatorState inA, Map<String, StoredFlags> flagsA, Map<String, StoredFlags> flagsB) {
        Set<String> names = new TreeSet<>(flagsA.keySet());
        names.addAll(flagsB.keySet());
        for (String name : names) {
            StoredFlags ofA = flagsA.get(name);
            StoredFlags ofB = flagsB.get(name);
            String reason =
                    FlagsReconciler.reasonToRefuse(
                            ofA == null ? null : ofA.facts(), ofB == null ? null : ofB.facts());
            if (reason == null && !ofA.keyGroups().equals(ofB.keyGroups())) {
                reason = "key groups " + ofA.keyGroups() + " in A and " + ofB.keyGroups() + " in B";
            }
            if (reason == null && lives(ofB) > lives(ofA)) {
                reason =
                        "keys live for "
                                + ofA.info().timeToLiveMillis()
                                + " ms in A and "
                                + ofB.info().timeToLiveMillis()
                                + " ms in B (0: for ever), and would be forgotten earlier than"
                                + " there";
            }
            if (reason != null) {
                return "state '" + name + "': " + reason;
            }
        }
        boolean isComposite =
                names.isEmpty()
                        || Handles.subtasks(inA).values().stream()
                                .flatMap(state -> state.getManagedKeyedState().stream())
                                .noneMatch(handle -> handle instanceof KeyGroupsStateHandle);
        return isComposite
                ? null
                : "its level files are in a canonical savepoint: take a native savepoint of A";
    }

    /** Milliseconds; the greatest long for ever. */
    private static long lives(StoredFlags flags) {
        long millis = flags.info().timeToLiveMillis();
        return millis == 0 ? Long.MAX_VALUE : millis;
    }

    private UnionReport written(Path out, List<String> onlyB) throws IOException {
        SavepointWriter writer = SavepointWriter.create(out);
        boolean isComplete = false;
        try {
            List<OperatorState> operators = new ArrayList<>();
            for (OperatorState operator : a.metadata().getOperatorStates()) {
                operators.add(
                        operator.isFullyFinished() ? operator : new Copy(operator, writer).copy());
            }
            seen.forEach(this::warn);
            writer.finish(
                    new CheckpointMetadata(
                            a.metadata().getCheckpointId(),
                            operators,
                            a.metadata().getMasterStates(),
                            a.metadata().getCheckpointProperties()));
            isComplete = true;
            return report(writer.directory().toString(), writer.bytes(), onlyB);
        } finally {
            if (!isComplete) {
                writer.discard();
            }
        }
    }

    private void warn(UnionReport.SeenSet united) {
        if (united.predictedFpp() > united.falsePositiveProbability()) {
            warnings.add(
                    String.format(
                            "%s%s: a new id is taken for a duplicate with a probability of up to"
                                    + " %.3g, not %.3g, until the ids of B have expired",
                            united.operator(),
                            united.state() == null ? "" : ", state '" + united.state() + "'",
                            united.predictedFpp(),
                            united.falsePositiveProbability()));
        }
    }

    /** Writes one operator of A, with what B has seen. */
    private final class Copy {
        private final OperatorState operator;
        private final SavepointWriter writer;
        @Nullable private final Plan plan;
        private final Map<String, Tally> flags = new TreeMap<>();

        Copy(OperatorState operator, SavepointWriter writer) {
            this.operator = operator;
            this.writer = writer;
            this.plan = plans.get(operator);
        }

        OperatorState copy() throws IOException {
            OperatorState copy =
                    new OperatorState(
                            operator.getOperatorName().orElse(null),
                            operator.getOperatorUid().orElse(null),
                            operator.getOperatorID(),
                            operator.getParallelism(),
                            operator.getMaxParallelism());
            copy.setCoordinatorState(operator.getCoordinatorState());
            for (var subtask : Handles.subtasks(operator).entrySet()) {
                OperatorSubtaskState state = subtask.getValue();
                copy.putState(
                        subtask.getKey(),
                        writer.copyUnkeyed(state)
                                .setRawKeyedState(raw(state.getRawKeyedState()))
                                .setManagedKeyedState(managed(state.getManagedKeyedState()))
                                .build());
            }
            if (plan != null && plan.seen != null) {
                seen.add(plan.seen.report(plan.title, null));
            }
            flags.forEach((state, tally) -> seen.add(tally.report(plan.title, state)));
            return copy;
        }

        private StateObjectCollection<KeyedStateHandle> raw(
                StateObjectCollection<KeyedStateHandle> handles) throws IOException {
            List<KeyedStateHandle> copies = new ArrayList<>();
            for (KeyedStateHandle handle : handles) {
                boolean isSeen =
                        plan != null
                                && plan.seen != null
                                && handle instanceof KeyGroupsStateHandle keyGroups
                                && FilterSummary.isOurs(keyGroups);
                copies.add(isSeen ? united((KeyGroupsStateHandle) handle) : writer.copy(handle));
            }
            return new StateObjectCollection<>(copies);
        }

        private KeyedStateHandle united(KeyGroupsStateHandle handle) throws IOException {
            long[] offsets = new long[handle.getKeyGroupRange().getNumberOfKeyGroups()];
            StreamStateHandle written =
                    writer.write(
                            "seen",
                            out -> {
                                SavepointWriter.CountingStream counting =
                                        new SavepointWriter.CountingStream(out);
                                for (int i = 0; i < offsets.length; i++) {
                                    offsets[i] = counting.count();
                                    unite(handle.getKeyGroupRange().getKeyGroupId(i), counting);
                                }
                            });
            return new KeyGroupsStateHandle(
                    new KeyGroupRangeOffsets(handle.getKeyGroupRange(), offsets), written);
        }

        private void unite(int keyGroup, OutputStream out) throws IOException {
            StoredDeduplicator ofA = read(plan.groupsA, keyGroup).deduplicator();
            StoredDeduplicator ofB = read(plan.groupsB, keyGroup).deduplicator();
            try (Body bodyA = plan.groupsA.open(keyGroup);
                    Body bodyB = plan.groupsB.open(keyGroup)) {
                StoredDeduplicator union = ofA;
                if (ofA == null && (ofB == null || ofB.filter().ids() == 0)) {
                    bodyA.header().writeTo(out);
                    bodyA.in().transferTo(out);
                } else if (ofB == null) {
                    bodyA.header().writeTo(out);
                    DeduplicatorUnion.copy(ofA, bodyA.in(), name(bodyA), out);
                    requireEnd(bodyA);
                } else if (ofA == null) {
                    bodyA.header().withStructure().writeTo(out);
                    union =
                            DeduplicatorUnion.writeAlone(
                                    ofB,
                                    plan.seen.clocks,
                                    DeduplicatorUnion.isProcessingTime(bodyA.header().layout()),
                                    bodyB.in(),
                                    name(bodyB),
                                    out);
                    requireEnd(bodyB);
                } else {
                    bodyA.header().writeTo(out);
                    union =
                            DeduplicatorUnion.write(
                                    bodyA.in(),
                                    name(bodyA),
                                    bodyB.in(),
                                    name(bodyB),
                                    plan.seen.clocks,
                                    out);
                    requireEnd(bodyA);
                    requireEnd(bodyB);
                }
                if (union != null) {
                    plan.seen.bytes += union.filter().bytes();
                    plan.seen.predicted =
                            Math.max(plan.seen.predicted, union.filter().predictedFpp());
                }
            }
        }

        /** How messages name a stream. */
        private String name(Body body) {
            return body.name() + ", key group " + body.header().keyGroup();
        }

        private void requireEnd(Body body) throws IOException {
            if (body.in().read() >= 0) {
                throw new IOException(name(body) + " has more than a seen set");
            }
        }

        private StateObjectCollection<KeyedStateHandle> managed(
                StateObjectCollection<KeyedStateHandle> handles) throws IOException {
            List<KeyedStateHandle> copies = new ArrayList<>();
            for (KeyedStateHandle handle : handles) {
                KeyedStateHandle copy = writer.copy(handle);
                boolean isSeen = plan != null && !plan.flagsA.isEmpty();
                KeyedParts ours =
                        isSeen
                                ? KeyedParts.of(handle, plan.title, a.classLoader()).orElse(null)
                                : null;
                copies.add(
                        ours == null
                                ? copy
                                : united((IncrementalRemoteKeyedStateHandle) copy, ours));
            }
            return new StateObjectCollection<>(copies);
        }

        /**
         * @param copy whose files are in the savepoint
         * @param ours its parts
         */
        private KeyedStateHandle united(IncrementalRemoteKeyedStateHandle copy, KeyedParts ours)
                throws IOException {
            CompositeManifest manifest = ours.manifest();
            Map<String, StreamStateHandle> files =
                    new LinkedHashMap<>(CompositeHandle.of(copy).orElseThrow().files());
            List<StatePart> states = new ArrayList<>();
            for (StatePart state : manifest.states()) {
                states.add(united(state, ours, files));
                if (state.sample() != null) {
                    // It does not know the keys of B.
                    files.remove(state.sample().name());
                }
            }
            CompositeManifest united =
                    new CompositeManifest(
                            manifest.maxParallelism(),
                            manifest.firstKeyGroup(),
                            manifest.lastKeyGroup(),
                            manifest.keyScheme(),
                            manifest.keySerializer(),
                            manifest.delegate(),
                            manifest.heapOffsets(),
                            states);
            StreamStateHandle written =
                    writer.write(
                            "manifest",
                            out -> out.write(NeedsCascadeStateBackend.before(united.toBytes())));
            return CompositeHandle.with(copy, written, files);
        }

        private StatePart united(
                StatePart state, KeyedParts ours, Map<String, StreamStateHandle> files)
                throws IOException {
            String name = state.info().name();
            StoredFlags ofB = plan.flagsB.get(name);
            byte[] filter;
            try {
                filter =
                        CascadeUnion.of(
                                state.filterManifest(),
                                ofB.manifests(ours.parts().keyGroupRange()),
                                plan.title + ", state " + name);
            } catch (IllegalArgumentException e) {
                throw new IOException(
                        plan.title + ", state '" + name + "' has no union: " + e.getMessage(), e);
            }
            Map<String, FilePart> parts = new LinkedHashMap<>();
            for (FilePart file : state.levelFiles()) {
                parts.put(file.name(), file);
                requireChecksum(file, files.get(file.name()));
            }
            Map<String, StoredFlags.LevelFilePart> others = ofB.levelFiles();
            StoredCascade union = StoredCascade.of(filter, plan.title);
            long bytes = 0;
            for (StoredCascade.StoredSection section : union.sections()) {
                String file = section.file().name();
                StoredFlags.LevelFilePart other = others.get(file);
                if (!parts.containsKey(file) && other != null) {
                    parts.put(file, other.part());
                    files.put(file, writer.copy(other.file()));
                    requireChecksum(other.part(), files.get(file));
                }
            }
            for (FilePart file : parts.values()) {
                bytes += file.sizeBytes();
            }
            Tally tally = flags.computeIfAbsent(name, key -> tallyOf(plan, key));
            tally.bytes += bytes;
            tally.predicted = Math.max(tally.predicted, union.estimatedFpp());
            return new StatePart(state.info(), filter, null, List.copyOf(parts.values()));
        }
    }

    private static void requireChecksum(FilePart expected, @Nullable StreamStateHandle copy)
            throws IOException {
        if (copy == null) {
            throw new IOException(expected.name() + " is not in the checkpoint");
        }
        CRC32C crc = new CRC32C();
        try (InputStream in = new CheckedInputStream(copy.openInputStream(), crc)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        if ((int) crc.getValue() != expected.crc32c()) {
            throw new IOException(
                    String.format(
                            "%s is damaged: its checksum is %08x, but the manifest says %08x; see"
                                    + " 'sluice verify' for the offset",
                            expected.name(), (int) crc.getValue(), expected.crc32c()));
        }
    }

    private static Tally tallyOf(Plan plan, String state) {
        StoredFlags ofA = plan.flagsA.get(state);
        StoredFlags ofB = plan.flagsB.get(state);
        Tally tally = new Tally();
        tally.keyGroups = ofB.keyGroups().size();
        tally.idsA = ofA.entries();
        tally.idsB = ofB.entries();
        tally.bytesA =
                ofA.levelFiles().values().stream().mapToLong(file -> file.part().sizeBytes()).sum();
        tally.asked = ofA.info().falsePositiveProbability();
        return tally;
    }
}
