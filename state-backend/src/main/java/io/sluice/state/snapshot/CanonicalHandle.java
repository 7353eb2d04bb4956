/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import io.sluice.filter.format.CorruptFilterException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshotSerializationUtil;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshotReadersWriters;

/** A {@link CanonicalSavepoint} that is being restored: the delegate's part and the files. */
@Internal
public final class CanonicalHandle implements StoredParts {

    private final KeyGroupsStateHandle handle;
    private final CompositeManifest manifest;
    private final Map<String, StreamStateHandle> files = new LinkedHashMap<>();
    private final Map<String, Long> positions = new HashMap<>();
    private final long manifestBytes;

    /** What the delegate reads instead of everything before its entries. */
    private final byte[] delegateHeader;

    /** Where its entries begin. */
    private final long entriesAt;

    private final boolean hasDelegate;

    private CanonicalHandle(
            KeyGroupsStateHandle handle,
            CompositeManifest manifest,
            long manifestBytes,
            long filesAt,
            byte[] delegateHeader,
            boolean hasDelegate) {
        this.handle = handle;
        this.manifest = manifest;
        this.manifestBytes = manifestBytes;
        this.delegateHeader = delegateHeader;
        this.hasDelegate = hasDelegate;
        long at = filesAt;
        for (CompositeManifest.StatePart state : manifest.states()) {
            for (CompositeManifest.FilePart file : state.files()) {
                if (!files.containsKey(file.name())) {
                    files.put(
                            file.name(),
                            new StreamPart(
                                    handle.getDelegateStateHandle(),
                                    new byte[0],
                                    at,
                                    file.sizeBytes()));
                    positions.put(file.name(), at);
                    at += file.sizeBytes();
                }
            }
        }
        this.entriesAt = at;
    }

    /**
     * The parts of a handle, if it belongs to a canonical savepoint with membership states.
     *
     * @throws CorruptFilterException if its manifest is damaged
     */
    public static Optional<CanonicalHandle> of(KeyedStateHandle handle, ClassLoader classLoader)
            throws IOException {
        if (!(handle instanceof KeyGroupsSavepointStateHandle savepoint)) {
            return Optional.empty();
        }
        try (FSDataInputStream stream = savepoint.openInputStream()) {
            return new Parse(savepoint, stream).run(classLoader);
        }
    }

    /** Reads through the descriptions of states, as Flink does, and notes their positions. */
    private static final class Parse {
        private final KeyGroupsStateHandle handle;
        private final FSDataInputStream stream;
        private final DataInputViewStreamWrapper in;

        /** Null until it was read. */
        @Nullable private CompositeManifest manifest;

        private long manifestBytes;

        private long filesAt;

        Parse(KeyGroupsStateHandle handle, FSDataInputStream stream) {
            this.handle = handle;
            this.stream = stream;
            this.in = new DataInputViewStreamWrapper(stream);
        }

        Optional<CanonicalHandle> run(ClassLoader classLoader) throws IOException {
            if (in.readInt() != KeyedBackendSerializationProxy.VERSION) {
                // The delegate reports what is wrong with it.
                return Optional.empty();
            }
            in.readBoolean();
            TypeSerializerSnapshotSerializationUtil.readSerializerSnapshot(in, classLoader);
            long countAt = stream.getPos();
            int count = in.readShort();
            long[] lastAt = new long[1];
            NeedsCascadeStateBackend.reading(
                    view -> readManifest(),
                    () -> {
                        for (int i = 0; i < count && manifest == null; i++) {
                            lastAt[0] = stream.getPos();
                            StateMetaInfoSnapshotReadersWriters.getReader(
                                            StateMetaInfoSnapshotReadersWriters
                                                    .CURRENT_STATE_META_INFO_SNAPSHOT_VERSION)
                                    .readStateMetaInfoSnapshot(in, classLoader);
                        }
                    });
            return manifest == null
                    ? Optional.empty()
                    : Optional.of(
                            new CanonicalHandle(
                                    handle,
                                    manifest,
                                    manifestBytes,
                                    filesAt,
                                    delegateHeader(countAt, count, lastAt[0]),
                                    count > 1));
        }

        private void readManifest() throws IOException {
            String source = "the manifest in " + handle.getDelegateStateHandle();
            int length = in.readInt();
            byte[] bytes = length < 0 ? new byte[0] : stream.readNBytes(length);
            if (bytes.length != length) {
                throw new CorruptFilterException(
                        source, bytes.length, "ends before its " + length + " bytes");
            }
            manifest = CompositeManifest.read(new ByteArrayInputStream(bytes), source);
            manifestBytes = length;
            filesAt = stream.getPos();
        }

        /** The same bytes, without the last state. */
        private byte[] delegateHeader(long countAt, int count, long lastAt) throws IOException {
            stream.seek(0);
            byte[] header = stream.readNBytes(Math.toIntExact(lastAt));
            ByteBuffer.wrap(header).putShort(Math.toIntExact(countAt), (short) (count - 1));
            return header;
        }
    }

    public CompositeManifest manifest() {
        return manifest;
    }

    /** Length of the manifest. */
    public long manifestBytes() {
        return manifestBytes;
    }

    /** Where in the stream a file begins. */
    public long positionOf(String file) {
        Long position = positions.get(file);
        if (position == null) {
            throw new IllegalArgumentException(file + " is not in " + this);
        }
        return position;
    }

    /** Where in the stream the delegate's entries begin: after the last of our files. */
    public long entriesAt() {
        return entriesAt;
    }

    @Override
    public KeyGroupRange keyGroupRange() {
        return handle.getKeyGroupRange();
    }

    /** A savepoint is the user's: later checkpoints do not refer to it. */
    @Override
    public long checkpointId() {
        return -1;
    }

    @Override
    public Map<String, StreamStateHandle> files() {
        return files;
    }

    @Override
    public Optional<Path> localFile(String name) {
        return Optional.empty();
    }

    /** What was on the heap was moved to the delegate before the savepoint. */
    @Override
    public Optional<KeyedStateHandle> heap(long[] offsets, KeyGroupRange wanted) {
        return Optional.empty();
    }

    @Override
    public Optional<KeyedStateHandle> delegate(
            CompositeManifest.DelegatePart part, KeyGroupRange wanted) {
        KeyGroupRange range = handle.getKeyGroupRange().getIntersection(wanted);
        if (!hasDelegate || range.getNumberOfKeyGroups() == 0) {
            return Optional.empty();
        }
        long[] offsets = new long[range.getNumberOfKeyGroups()];
        for (int i = 0; i < offsets.length; i++) {
            long offset = handle.getOffsetForKeyGroup(range.getKeyGroupId(i));
            // 0: the key group has no entries.
            offsets[i] = offset == 0 ? 0 : offset - entriesAt + delegateHeader.length;
        }
        StreamStateHandle whole = handle.getDelegateStateHandle();
        return Optional.of(
                new KeyGroupsSavepointStateHandle(
                        new KeyGroupRangeOffsets(range, offsets),
                        new StreamPart(
                                whole,
                                delegateHeader,
                                entriesAt,
                                whole.getStateSize() - entriesAt)));
    }

    @Override
    public String toString() {
        return "CanonicalHandle{key groups "
                + handle.getKeyGroupRange()
                + ", files "
                + files.size()
                + '}';
    }
}
