/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.format.CorruptFilterException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;

/**
 * One structure per key group that the subtask owns, created when its first record comes, and kept
 * as Flink's raw keyed state: one stream per key group. After a restore Flink hands each stream to
 * the subtask that owns the key group, so the parallelism may change to anything up to the maximum
 * parallelism, and no structure is split, joined or rehashed. The maximum parallelism itself must
 * stay, as it determines which id belongs to which key group.
 *
 * <p>A key group's stream is a {@link KeyGroupHeader}, followed by what {@link Handler#write} wrote
 * if there was a structure.
 *
 * <p>The <em>layout</em> names everything that must be the same for the structure to be understood:
 * engine and time domain; the <em>identity</em> says what kind of ids it was made of. Access is one
 * array index. Not thread-safe.
 *
 * @param <S> type of the structures
 */
@Internal
public final class KeyGroupedState<S> {

    /**
     * How structures are made, written and read.
     *
     * @param <S> type of the structures
     */
    public interface Handler<S> {

        /** Returns a new, empty structure. */
        S create();

        /** Writes the structure, with version and checksum. */
        void write(S structure, OutputStream out) throws IOException;

        /**
         * Returns the structure as it is now, to be written later and by another thread. The task
         * waits for this call. The default is for small structures and writes to memory.
         */
        default PinnedStructure pin(S structure) throws IOException {
            return PinnedStructure.copyOf(structure, this);
        }

        /**
         * Reads what {@link #write} wrote.
         *
         * @param source names operator and key group, for messages
         */
        S read(InputStream in, String source) throws IOException;

        /** Releases what the structure holds beyond its own heap objects. */
        default void close(S structure) {}
    }

    /** What is read ahead is read again with the next key group; there may be 32,768 of them. */
    private static final int READ_BUFFER_BYTES = 1 << 12;

    private final String operator;
    private final KeyGroupRange range;
    private final int maxParallelism;
    private final String layout;
    private final Set<String> readableLayouts;
    private final StateIdentity identity;
    private final byte[] identityBytes;
    private final Handler<S> handler;
    private final Set<String> restoredLayouts = new HashSet<>();

    /** Index: key group - first of the range; null where no record has come yet. */
    private final Object[] structures;

    /** The pinned structures that were still open at the last look. */
    private final List<PinnedKeyGroups> pins = new ArrayList<>();

    /**
     * @param operator how messages name the operator
     * @param range the key groups of this subtask
     * @param layout what is written, see above; at most 65535 bytes in UTF-8
     * @param readableLayouts the layouts that can be restored
     * @param identity written next to the layout; says what can be restored
     * @throws IllegalArgumentException if the identity is too long
     */
    public KeyGroupedState(
            String operator,
            KeyGroupRange range,
            int maxParallelism,
            String layout,
            Set<String> readableLayouts,
            StateIdentity identity,
            Handler<S> handler) {
        this.operator = requireNonNull(operator, "operator");
        this.range = requireNonNull(range, "range");
        this.maxParallelism = maxParallelism;
        this.layout = requireNonNull(layout, "layout");
        this.readableLayouts = Set.copyOf(readableLayouts);
        this.identity = requireNonNull(identity, "identity");
        this.identityBytes = identity.bytes();
        if (identityBytes.length > StateIdentity.MAX_BYTES) {
            throw new IllegalArgumentException(
                    "The id of operator "
                            + operator
                            + " must have a type that is described in at most "
                            + StateIdentity.MAX_BYTES
                            + " bytes, but it takes "
                            + identityBytes.length
                            + ": select an id of fewer fields.");
        }
        this.handler = requireNonNull(handler, "handler");
        this.structures = new Object[range.getNumberOfKeyGroups()];
    }

    /**
     * Returns the structure of {@code keyGroup}; makes one if there is none.
     *
     * @throws IllegalArgumentException if the key group is not this subtask's
     */
    public S get(int keyGroup) {
        S structure = peek(keyGroup);
        if (structure == null) {
            structure = handler.create();
            structures[keyGroup - range.getStartKeyGroup()] = structure;
        }
        return structure;
    }

    /** Returns the structure of {@code keyGroup}, or null if there is none yet. */
    @Nullable
    @SuppressWarnings("unchecked")
    public S peek(int keyGroup) {
        int index = keyGroup - range.getStartKeyGroup();
        if (index < 0 || index >= structures.length) {
            throw new IllegalArgumentException(
                    "Key group "
                            + keyGroup
                            + " is outside of this subtask's "
                            + range
                            + ": what the stream is distributed by must be the same whenever and"
                            + " wherever it is computed from a record.");
        }
        return (S) structures[index];
    }

    /** Calls {@code action} for every structure that exists, in the order of key groups. */
    public void forEach(Consumer<? super S> action) {
        for (int group : range) {
            S structure = peek(group);
            if (structure != null) {
                action.accept(structure);
            }
        }
    }

    /** As {@link #forEach} for every key group; makes the structures that do not exist. */
    public void forAll(Consumer<? super S> action) {
        for (int group : range) {
            action.accept(get(group));
        }
    }

    /**
     * Pins all key groups, even those without a structure, so that a restore can check what the
     * state belongs to. If this fails, it leaves no pins.
     */
    public PinnedKeyGroups pin() throws IOException {
        pins.removeIf(PinnedKeyGroups::isClosed);
        PinnedKeyGroups pinned = new PinnedKeyGroups(range);
        try {
            for (int group : range) {
                S structure = peek(group);
                pinned.add(
                        header(group, structure != null),
                        structure == null ? null : handler.pin(structure));
            }
            pins.add(pinned);
            return pinned;
        } catch (Throwable e) {
            pinned.close();
            throw e;
        }
    }

    /**
     * Bytes on the heap, in addition to the structures, held now for what was pinned and has not
     * been written. Only the owner's thread may call it. O(pinned pages).
     */
    public long pinnedBytes() {
        pins.removeIf(PinnedKeyGroups::isClosed);
        return pins.stream().mapToLong(PinnedKeyGroups::copiedBytes).sum();
    }

    /**
     * Closes all structures; what is pinned stays. This object must not be used afterwards.
     * Idempotent.
     */
    public void close() {
        forEach(handler::close);
        Arrays.fill(structures, null);
    }

    private KeyGroupHeader header(int keyGroup, boolean hasStructure) {
        return new KeyGroupHeader(maxParallelism, keyGroup, hasStructure, layout, identityBytes);
    }

    /**
     * Reads the key groups of this subtask.
     *
     * @throws io.sluice.filter.format.CorruptFilterException if bytes are damaged; it names the
     *     operator and the key group
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them, or
     *     one that did not write identities
     * @throws IllegalStateException if the state belongs to another maximum parallelism, layout or
     *     identity
     */
    public void restore(Iterable<KeyGroupStatePartitionStreamProvider> inputs) throws IOException {
        for (KeyGroupStatePartitionStreamProvider input : inputs) {
            int group = input.getKeyGroupId();
            if (range.contains(group)) {
                restore(group, input.getStream());
            }
        }
    }

    private void restore(int group, InputStream stream) throws IOException {
        String source = "state of operator " + operator + ", key group " + group;
        // Reading ahead into the next key group is harmless: Flink seeks to its beginning.
        InputStream in = new BufferedInputStream(stream, READ_BUFFER_BYTES);
        KeyGroupHeader header = KeyGroupHeader.readFrom(in, source);
        check(header, group, source);
        if (header.hasStructure()) {
            structures[group - range.getStartKeyGroup()] = handler.read(in, source);
        }
    }

    private void check(KeyGroupHeader header, int group, String source) throws IOException {
        if (header.maxParallelism() != maxParallelism) {
            throw new IllegalStateException(
                    source
                            + ": was written with maximum parallelism "
                            + header.maxParallelism()
                            + ", but the operator now has "
                            + maxParallelism
                            + ": set it back with setMaxParallelism("
                            + header.maxParallelism()
                            + "); it decides which id is where.");
        }
        if (header.keyGroup() != group) {
            throw new CorruptFilterException(source, 0, "holds key group " + header.keyGroup());
        }
        if (!readableLayouts.contains(header.layout())) {
            throw OperatorLayout.refusal(source, header.layout(), layout);
        }
        identity.check(header.identity(), source);
        restoredLayouts.add(header.layout());
    }

    /** Returns whether the restored state has {@code layout}; false after a start without state. */
    public boolean wasRestoredFrom(String layout) {
        return restoredLayouts.contains(layout);
    }
}
