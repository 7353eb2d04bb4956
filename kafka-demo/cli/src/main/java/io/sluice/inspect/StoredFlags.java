/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.cascade.StoredCascade;
import io.sluice.filter.cascade.StoredCascade.StoredSection;
import io.sluice.filter.cascade.StoredEntries;
import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.cascade.file.LevelFileInfo;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.state.snapshot.CanonicalHandle;
import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.MembershipInfo;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;

/**
 * A membership state of the cascade state backend, wherever the subtasks of its operator put its
 * level files. Key groups have to be read in ascending order: the files of one subtask are open at
 * a time. Not thread-safe.
 */
final class StoredFlags implements ComparedFlags {

    private static final int NONE = -1;

    private final MembershipInfo info;

    /** What is hashed, and what wrote it. */
    private final String keys;

    /** By first key group. */
    private final TreeMap<Integer, Part> parts = new TreeMap<>();

    /** The first key group of the subtask whose files are open; -1 if none are. */
    private int open = NONE;

    private final Map<String, LevelFile> opened = new HashMap<>();

    private StoredFlags(MembershipInfo info, String keys) {
        this.info = info;
        this.keys = keys;
    }

    /** A checkpoint has flags that only its job can read. */
    static final class InChangelogException extends IOException {
        private static final long serialVersionUID = 1;

        private InChangelogException() {
            super(
                    "its newest flags are in Flink's changelog, which cannot be read here: take a"
                            + " savepoint");
        }
    }

    /**
     * The key groups of a subtask.
     *
     * @param places of the level files, by name
     */
    private record Part(
            String source,
            CompositeManifest.StatePart state,
            StoredCascade filter,
            Map<String, Place> places) {
        boolean contains(int keyGroup) {
            return keyGroup >= filter.firstKeyGroup()
                    && keyGroup < filter.firstKeyGroup() + filter.keyGroupCount();
        }
    }

    /**
     * Where a level file is.
     *
     * @param from where it begins in the stream
     */
    private record Place(StreamStateHandle file, StoredStream stream, long from) {}

    /**
     * Finds the membership states of an operator, by name: reads manifests only.
     *
     * @param problems is told what is damaged
     * @throws InChangelogException if files do not have all of them
     * @throws IOException if it cannot be told whether there are any
     */
    static Map<String, StoredFlags> of(
            OperatorState operator, ClassLoader classLoader, Consumer<Problem> problems)
            throws IOException {
        Map<String, StoredFlags> states = new TreeMap<>();
        for (var subtask : Handles.subtasks(operator).entrySet()) {
            for (KeyedStateHandle whole : subtask.getValue().getManagedKeyedState()) {
                for (KeyedStateHandle handle : Handles.materialized(List.of(whole))) {
                    List<StoredStream> streams = Handles.streams(subtask.getKey(), handle);
                    try {
                        String source = "subtask " + subtask.getKey();
                        KeyedParts ours = KeyedParts.of(handle, source, classLoader).orElse(null);
                        if (ours != null) {
                            requireNoLog(whole);
                            add(ours, streams, source, states);
                        }
                    } catch (CorruptFilterException e) {
                        problems.accept(Problem.of(streams.get(0), 0, e));
                    }
                }
            }
        }
        return states;
    }

    private static void requireNoLog(KeyedStateHandle handle) throws IOException {
        if (handle instanceof ChangelogStateBackendHandle changelog
                && !changelog.getNonMaterializedStateHandles().isEmpty()) {
            throw new InChangelogException();
        }
    }

    private static void add(
            KeyedParts ours,
            List<StoredStream> streams,
            String source,
            Map<String, StoredFlags> states)
            throws IOException {
        Map<String, Place> places = places(ours, streams);
        for (CompositeManifest.StatePart state : ours.manifest().states()) {
            String name = state.info().name();
            StoredCascade filter =
                    StoredCascade.of(state.filterManifest(), source + ", state " + name);
            String keys = keys(ours.manifest());
            states.computeIfAbsent(name, n -> new StoredFlags(state.info(), keys))
                    .parts
                    .put(filter.firstKeyGroup(), new Part(source, state, filter, places));
        }
    }

    private static Map<String, Place> places(KeyedParts ours, List<StoredStream> streams) {
        Map<StreamStateHandle, StoredStream> byHandle = new HashMap<>();
        streams.forEach(stream -> byHandle.put(stream.handle(), stream));
        Map<String, Place> places = new HashMap<>();
        ours.parts()
                .files()
                .forEach(
                        (name, file) ->
                                places.put(
                                        name,
                                        ours.parts() instanceof CanonicalHandle canonical
                                                ? new Place(
                                                        file,
                                                        streams.get(0),
                                                        canonical.positionOf(name))
                                                : new Place(file, byHandle.get(file), 0)));
        return places;
    }

    private static String keys(CompositeManifest manifest) throws IOException {
        byte[] serializer = manifest.keySerializer();
        // A snapshot begins with the name of its class.
        String name = new DataInputDeserializer(serializer).readUTF();
        String digest = HexFormat.of().formatHex(Digests.of(serializer), 0, Integer.BYTES);
        return "'" + manifest.keyScheme() + "' written by " + name + " " + digest;
    }

    /**
     * A level file of the state.
     *
     * @param file where it is
     */
    record LevelFilePart(CompositeManifest.FilePart part, StreamStateHandle file) {}

    /** Returns the manifests of the filters that have some of these key groups. */
    List<byte[]> manifests(KeyGroupRange keyGroups) {
        List<byte[]> manifests = new ArrayList<>();
        for (Part part : parts.values()) {
            if (keyGroups
                            .getIntersection(
                                    KeyGroupRange.of(
                                            part.filter.firstKeyGroup(),
                                            part.filter.firstKeyGroup()
                                                    + part.filter.keyGroupCount()
                                                    - 1))
                            .getNumberOfKeyGroups()
                    > 0) {
                manifests.add(part.state.filterManifest());
            }
        }
        return manifests;
    }

    /** Returns the level files of all subtasks, by name. */
    Map<String, LevelFilePart> levelFiles() {
        Map<String, LevelFilePart> files = new TreeMap<>();
        for (Part part : parts.values()) {
            for (CompositeManifest.FilePart file : part.state.levelFiles()) {
                Place place = part.places.get(file.name());
                if (place != null) {
                    files.put(file.name(), new LevelFilePart(file, place.file));
                }
            }
        }
        return files;
    }

    /** Returns how many entries all files have, with removals and copies. */
    long entries() {
        return parts.values().stream().mapToLong(part -> part.filter.entries()).sum();
    }

    MembershipInfo info() {
        return info;
    }

    /** Returns what is hashed of a key, and the description of what serializes it. */
    String keys() {
        return keys;
    }

    /** Returns the key groups of all subtasks. */
    NavigableSet<Integer> keyGroups() {
        NavigableSet<Integer> keyGroups = new TreeSet<>();
        for (Part part : parts.values()) {
            int first = part.filter.firstKeyGroup();
            for (int i = 0; i < part.filter.keyGroupCount(); i++) {
                keyGroups.add(first + i);
            }
        }
        return keyGroups;
    }

    /** Returns the fewest bits that a level file keeps of a hash. */
    int hashBits() {
        return sections().stream()
                .mapToInt(section -> section.file().hashBits())
                .min()
                .orElse(Entries.MAX_HASH_BITS);
    }

    /** Returns the algorithms of the hashes; one, unless something is wrong. */
    NavigableSet<Integer> hashIds() {
        NavigableSet<Integer> ids = new TreeSet<>();
        sections().forEach(section -> ids.add(section.file().hashId()));
        return ids;
    }

    /** Returns into how many parts key groups are divided, of those that have entries. */
    NavigableSet<Integer> partsOfKeyGroup() {
        NavigableSet<Integer> counts = new TreeSet<>();
        for (Part part : parts.values()) {
            if (!part.filter.sections().isEmpty()) {
                counts.add(part.filter.partsOfKeyGroup());
            }
        }
        return counts;
    }

    private List<StoredSection> sections() {
        List<StoredSection> all = new ArrayList<>();
        parts.values().forEach(part -> all.addAll(part.filter.sections()));
        return all;
    }

    @Override
    public FlagsFacts facts() {
        NavigableMap<Integer, Long> expired = new TreeMap<>();
        for (int keyGroup : keyGroups()) {
            expired.put(keyGroup, expired(part(keyGroup)));
        }
        return new FlagsFacts(
                info.name(),
                info.falsePositiveProbability(),
                info.timeToLiveMillis(),
                info.namespaceScheme(),
                keys,
                hashBits(),
                hashIds(),
                partsOfKeyGroup(),
                expired);
    }

    /** Returns the end of the last bucket that would have expired, the least long if none would. */
    private long expired(Part part) {
        long timeToLive = info.timeToLiveMillis();
        // The time may be the least long, if none was told.
        return timeToLive > 0 && part.filter.time() > Long.MIN_VALUE + timeToLive
                ? part.filter.time() - timeToLive
                : Long.MIN_VALUE;
    }

    @Nullable
    private Part part(int keyGroup) {
        var floor = parts.floorEntry(keyGroup);
        return floor != null && floor.getValue().contains(keyGroup) ? floor.getValue() : null;
    }

    @Override
    public FlagsCursor entries(int keyGroup, int hashBits, @Nullable ComparedFlags ofOther)
            throws IOException {
        Part part = part(keyGroup);
        if (part == null) {
            throw new IllegalArgumentException("no subtask has key group " + keyGroup);
        }
        if (part.filter.firstKeyGroup() != open) {
            close();
            open = part.filter.firstKeyGroup();
        }
        try {
            return new Cursor(
                    part,
                    StoredEntries.of(
                            part.filter, keyGroup, hashBits(), wanted -> file(part, wanted)),
                    Entries.mask(hashBits));
        } catch (IOException e) {
            throw damaged(part, e);
        }
    }

    /** The entries of a key group, see {@link StoredEntries}. */
    private final class Cursor implements FlagsCursor {
        private final Part part;
        private final StoredEntries entries;

        /** Bits that are kept; only now, as a removal with fewer bits would remove other keys. */
        private final long mask;

        private long entry;
        private long bucketEnd;

        /** Whether {@link #entries} is at an entry that comes next. */
        private boolean isAhead;

        private Cursor(Part part, StoredEntries entries, long mask) {
            this.part = part;
            this.entries = entries;
            this.mask = mask;
        }

        private boolean advance() throws IOException {
            try {
                return entries.next();
            } catch (IOException e) {
                throw damaged(part, e);
            }
        }

        @Override
        public boolean next() throws IOException {
            if (!isAhead && !advance()) {
                return false;
            }
            entry = entries.entry() & mask;
            bucketEnd = entries.bucketEnd();
            isAhead = false;
            while (!isAhead && advance()) {
                isAhead = (entries.entry() & mask) != entry;
                if (!isAhead) {
                    bucketEnd = Math.max(bucketEnd, entries.bucketEnd());
                }
            }
            return true;
        }

        @Override
        public long entry() {
            return entry;
        }

        @Override
        public long bucketEnd() {
            return bucketEnd;
        }

        @Override
        public void close() throws IOException {
            entries.close();
        }
    }

    private LevelFile file(Part part, LevelFileInfo wanted) throws IOException {
        LevelFile file = opened.get(wanted.name());
        if (file == null) {
            Place place = part.places.get(wanted.name());
            if (place == null) {
                throw new FileNotFoundException(
                        part.source + ": " + wanted.name() + " is not in the checkpoint");
            }
            Problem atOnce = place.stream.lookForProblem();
            if (atOnce != null) {
                throw new DamagedFileException(atOnce);
            }
            file =
                    LevelFile.open(
                            new HandleFile(wanted.name(), place.file, read -> {}),
                            wanted,
                            new PageCache(0));
            opened.put(wanted.name(), file);
        }
        return file;
    }

    private DamagedFileException damaged(Part part, IOException thrown) {
        if (thrown instanceof DamagedFileException damaged) {
            return damaged;
        }
        Place place =
                thrown instanceof CorruptFilterException corrupt
                        ? part.places.get(corrupt.source())
                        : null;
        Problem problem =
                place == null
                        ? new Problem(part.source, null, String.valueOf(thrown.getMessage()))
                        : Problem.of(place.stream, place.from, thrown);
        return new DamagedFileException(problem, thrown);
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (LevelFile file : opened.values()) {
            try {
                file.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        opened.clear();
        open = NONE;
        if (failure != null) {
            throw failure;
        }
    }
}
