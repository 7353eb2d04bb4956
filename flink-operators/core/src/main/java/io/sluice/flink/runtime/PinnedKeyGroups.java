/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;

/**
 * All key groups of a {@link KeyGroupedState} at the barrier of a checkpoint, for another thread to
 * write. Must be closed; {@link #writeTo} is called at most once.
 */
@Internal
public final class PinnedKeyGroups implements Closeable {

    private record Group(KeyGroupHeader header, @Nullable PinnedStructure structure) {}

    private final KeyGroupRange range;

    /** In the order of the range, null when this is closed. */
    @Nullable private volatile List<Group> groups;

    /** Creates it without pins; {@link #add} pins. */
    PinnedKeyGroups(KeyGroupRange range) {
        this.range = range;
        this.groups = new ArrayList<>(range.getNumberOfKeyGroups());
    }

    /**
     * Adds the next key group of the range.
     *
     * @param header of its stream
     * @param structure null if there is none; is closed with this
     */
    void add(KeyGroupHeader header, @Nullable PinnedStructure structure) {
        groups.add(new Group(header, structure));
    }

    /**
     * Writes the stream of each key group.
     *
     * @return where each of them begins
     * @throws IOException from the stream, or if this was or is closed meanwhile
     */
    public KeyGroupRangeOffsets writeTo(FSDataOutputStream out) throws IOException {
        List<Group> present = groups;
        if (present == null) {
            throw new IOException("the pinned key groups " + range + " are closed");
        }
        KeyGroupRangeOffsets offsets = new KeyGroupRangeOffsets(range);
        int keyGroup = range.getStartKeyGroup();
        for (Group group : present) {
            offsets.setKeyGroupOffset(keyGroup++, out.getPos());
            group.header.writeTo(out);
            if (group.structure != null) {
                group.structure.writeTo(out);
                // Its copies are not needed while the others are written.
                group.structure.close();
            }
        }
        return offsets;
    }

    /** Bytes that were copied and are still to be written. Callable from any thread. */
    long copiedBytes() {
        List<Group> present = groups;
        long bytes = 0;
        for (Group group : present == null ? List.<Group>of() : present) {
            bytes += group.structure == null ? 0 : group.structure.copiedBytes();
        }
        return bytes;
    }

    boolean isClosed() {
        return groups == null;
    }

    /** Releases everything. Idempotent. */
    @Override
    public void close() {
        List<Group> present = groups;
        groups = null;
        if (present != null) {
            for (Group group : present) {
                if (group.structure != null) {
                    group.structure.close();
                }
            }
        }
    }
}
