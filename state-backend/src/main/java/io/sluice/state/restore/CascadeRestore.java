/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.restore;

import io.sluice.filter.sample.StoredSample;
import io.sluice.state.snapshot.CanonicalHandle;
import io.sluice.state.snapshot.CompositeHandle;
import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.FileTransfer;
import io.sluice.state.snapshot.MembershipInfo;
import io.sluice.state.snapshot.NeedsCascadeStateBackend;
import io.sluice.state.snapshot.UploadedFiles;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.util.StateMigrationException;
import org.apache.flink.util.function.FunctionWithException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores the membership states of a subtask: reads the handles, refuses what is incompatible with
 * the present job, and downloads the files. All of this happens before the first record is
 * processed.
 *
 * @param <K> type of the keys
 */
@Internal
public final class CascadeRestore<K> {

    private static final Logger LOG = LoggerFactory.getLogger(CascadeRestore.class);

    /** As what is restored needs it. */
    private TypeSerializer<K> keySerializer;

    private final String keyScheme;
    private final int maxParallelism;
    private final KeyGroupRange range;
    private final String delegateType;
    private final ClassLoader classLoader;

    private final List<RestorePlan.Source> ours = new ArrayList<>();
    private final List<KeyedStateHandle> others = new ArrayList<>();

    private CascadeRestore(
            TypeSerializer<K> keySerializer,
            String keyScheme,
            int maxParallelism,
            KeyGroupRange range,
            String delegateType,
            ClassLoader classLoader) {
        this.keySerializer = keySerializer;
        this.keyScheme = keyScheme;
        this.maxParallelism = maxParallelism;
        this.range = range;
        this.delegateType = delegateType;
        this.classLoader = classLoader;
    }

    /**
     * A membership state whose files are in a local directory.
     *
     * @param manifests of its filters
     * @param samples of its filters, in the same order
     */
    public record RestoredState(
            MembershipInfo info,
            Path directory,
            List<byte[]> manifests,
            List<RestoredSample> samples) {}

    /**
     * The sample that measures the error of a filter.
     *
     * @param firstKeyGroup of the subtask that stored it
     * @param sample null if it had none
     */
    public record RestoredSample(int firstKeyGroup, @Nullable StoredSample sample) {}

    /**
     * Reads the manifests of all handles that are ours, and checks that they fit.
     *
     * @param keyScheme which part of a key is hashed now
     * @param delegateType the delegate now, as Flink names backends
     * @throws StateMigrationException if fingerprints of these handles cannot be used by this job
     * @throws IOException if a manifest cannot be read or is damaged
     */
    public static <K> CascadeRestore<K> read(
            Collection<KeyedStateHandle> handles,
            TypeSerializer<K> keySerializer,
            String keyScheme,
            int maxParallelism,
            KeyGroupRange range,
            String delegateType,
            ClassLoader classLoader)
            throws IOException, StateMigrationException {
        CascadeRestore<K> restore =
                new CascadeRestore<>(
                        keySerializer, keyScheme, maxParallelism, range, delegateType, classLoader);
        for (KeyedStateHandle handle : handles) {
            if (handle != null) {
                restore.add(handle);
            }
        }
        return restore;
    }

    private void add(KeyedStateHandle handle) throws IOException, StateMigrationException {
        CanonicalHandle canonical = CanonicalHandle.of(handle, classLoader).orElse(null);
        if (canonical != null) {
            check(canonical.manifest());
            ours.add(new RestorePlan.Source(handle, canonical, canonical.manifest()));
            return;
        }
        CompositeHandle parts = CompositeHandle.of(handle).orElse(null);
        if (parts == null) {
            others.add(handle);
            return;
        }
        CompositeManifest manifest;
        String source = "the manifest " + parts.manifest() + " of " + parts;
        try (InputStream in = parts.manifest().openInputStream()) {
            NeedsCascadeStateBackend.skip(in, source);
            manifest = CompositeManifest.read(in, source);
        }
        check(manifest);
        ours.add(new RestorePlan.Source(handle, parts, manifest));
    }

    private void check(CompositeManifest manifest) throws IOException, StateMigrationException {
        if (manifest.maxParallelism() != maxParallelism) {
            throw new StateMigrationException(
                    "The membership states were stored with a maximum parallelism of "
                            + manifest.maxParallelism()
                            + ", but the operator's is "
                            + maxParallelism
                            + ": their fingerprints cannot be redistributed. Set the maximum"
                            + " parallelism back to "
                            + manifest.maxParallelism()
                            + '.');
        }
        if (!manifest.states().isEmpty()) {
            checkKeys(manifest);
        }
        boolean hasDelegate = manifest.delegate().kind() != CompositeManifest.DelegateKind.NONE;
        if (hasDelegate && !manifest.delegate().type().equals(delegateType)) {
            throw new StateMigrationException(
                    "The other states were stored by the delegate '"
                            + manifest.delegate().type()
                            + "', but it is '"
                            + delegateType
                            + "' now. Set state.backend.cascade.delegate back or, for an operator"
                            + " that keeps its ids on disk itself, state.backend.type.");
        }
    }

    private void checkKeys(CompositeManifest manifest) throws IOException, StateMigrationException {
        TypeSerializerSnapshot<K> stored =
                TypeSerializerSnapshot.readVersionedSnapshot(
                        new DataInputDeserializer(manifest.keySerializer()), classLoader);
        TypeSerializerSchemaCompatibility<K> compatibility =
                keySerializer.snapshotConfiguration().resolveSchemaCompatibility(stored);
        if (compatibility.isCompatibleWithReconfiguredSerializer()) {
            keySerializer = compatibility.getReconfiguredSerializer();
        }
        boolean sameBytes =
                compatibility.isCompatibleAsIs()
                        || compatibility.isCompatibleWithReconfiguredSerializer();
        if (!manifest.keyScheme().equals(keyScheme) || !sameBytes) {
            throw new StateMigrationException(
                    "The key serializer has changed: membership states were stored as fingerprints"
                            + " of keys '"
                            + manifest.keyScheme()
                            + "' written by "
                            + stored
                            + ", but keys are '"
                            + keyScheme
                            + "' written by "
                            + keySerializer
                            + " now. Fingerprints cannot be recomputed without the keys.");
        }
    }

    /**
     * What writes keys from now on: that of the job, or one that Flink has made of it and that
     * writes the restored keys as they were written, if types were registered since.
     */
    public TypeSerializer<K> keySerializer() {
        return keySerializer;
    }

    /** Whether there is anything of ours to restore. */
    public boolean hasMembershipStates() {
        return ours.stream().anyMatch(source -> !source.manifest().states().isEmpty());
    }

    /** The handles that the delegate has to restore. */
    public List<KeyedStateHandle> delegateHandles() {
        return plan().delegateHandles();
    }

    /** The handles of what was on the heap. */
    public List<KeyedStateHandle> heapHandles() {
        return plan().heapHandles();
    }

    private RestorePlan plan() {
        return RestorePlan.of(ours, others, range);
    }

    /**
     * Downloads the files, or links those that have a local copy.
     *
     * @param directoryOf returns a new, empty directory for each state
     * @param uploaded is told which files checkpoints already hold
     * @return the states, by name
     * @throws io.sluice.filter.format.CorruptFilterException if a file is not what was stored
     */
    public Map<String, RestoredState> download(
            FunctionWithException<String, Path, IOException> directoryOf,
            FileTransfer transfer,
            UploadedFiles uploaded,
            CloseableRegistry registry)
            throws IOException {
        RestorePlan plan = plan();
        Map<String, Path> directories = new HashMap<>();
        List<Callable<Void>> downloads = new ArrayList<>();
        Map<Long, Map<String, UploadedFiles.Held>> held = new HashMap<>();
        for (RestorePlan.StatePlan state : plan.states().values()) {
            Path directory = directoryOf.apply(state.info().name());
            Files.createDirectories(directory);
            Set<String> names = new HashSet<>();
            for (RestorePlan.FilePlan file : state.files()) {
                String name = file.part().name();
                // If two subtasks have a section of a file, both name it.
                if (names.add(name)) {
                    downloads.add(
                            () -> {
                                fetch(file, directory.resolve(name), registry);
                                return null;
                            });
                }
                if (file.checkpointId() >= 0) {
                    held.computeIfAbsent(file.checkpointId(), id -> new HashMap<>())
                            .put(name, new UploadedFiles.Held(file.handle(), file.part().crc32c()));
                }
            }
            directories.put(state.info().name(), directory);
        }
        transfer.runAll(downloads);
        held.forEach(uploaded::restored);
        Map<String, RestoredState> states = new LinkedHashMap<>();
        for (RestorePlan.StatePlan state : plan.states().values()) {
            String name = state.info().name();
            Path directory = directories.get(name);
            states.put(
                    name,
                    new RestoredState(
                            state.info(), directory, state.manifests(), samples(state, directory)));
        }
        return states;
    }

    /** Reads the samples, whose files the filter does not need. */
    private static List<RestoredSample> samples(RestorePlan.StatePlan state, Path directory)
            throws IOException {
        List<RestoredSample> samples = new ArrayList<>();
        Set<Path> read = new HashSet<>();
        for (RestorePlan.SamplePlan sample : state.samples()) {
            if (sample.file() == null) {
                samples.add(new RestoredSample(sample.firstKeyGroup(), null));
                continue;
            }
            Path file = directory.resolve(sample.file().name());
            String source = sample.file().name() + " of state '" + state.info().name() + "'";
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
                StoredSample stored = StoredSample.readFrom(in, source);
                samples.add(new RestoredSample(sample.firstKeyGroup(), stored));
            }
            read.add(file);
        }
        for (Path file : read) {
            Files.delete(file);
        }
        return samples;
    }

    private static void fetch(RestorePlan.FilePlan file, Path to, CloseableRegistry registry)
            throws IOException {
        if (file.local().isPresent() && isLinked(file.local().get(), file.part(), to)) {
            return;
        }
        FileTransfer.download(file.handle(), file.part(), to, registry);
    }

    /** Whether the local copy is what was stored, and has been linked. */
    private static boolean isLinked(Path local, CompositeManifest.FilePart part, Path to)
            throws IOException {
        try {
            FileTransfer.link(local, part, to);
            return true;
        } catch (IOException e) {
            LOG.warn(
                    "The local copy {} cannot be used. The file in the checkpoint is used instead.",
                    local,
                    e);
            Files.deleteIfExists(to);
            return false;
        }
    }
}
