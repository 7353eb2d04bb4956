/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.sample.StoredSample;
import io.sluice.flink.dedup.StoredDeduplicator;
import io.sluice.flink.flow.StoredFlows;
import io.sluice.flink.machine.StoredMachines;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.runtime.KeyGroupHeader;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;

/** The key groups that an operator of Sluice keeps by itself, wherever its subtasks put them. */
final class StoredKeyGroups {

    private static final int BUFFER_BYTES = 4 << 10;

    private static final int BODY_BUFFER_BYTES = 64 << 10;

    private final TreeMap<Integer, Place> places = new TreeMap<>();

    private record Place(
            StoredStream stream, KeyGroupsStateHandle handle, KeyGroupRegions.Part part) {}

    /**
     * A key group.
     *
     * @param deduplicator null if it has none
     * @param machines null if it has none that can be listed
     */
    record KeyGroup(
            KeyGroupHeader header,
            @Nullable StoredDeduplicator deduplicator,
            @Nullable StoredMachines machines) {

        /** Returns whether an operator whose state has this layout follows machines. */
        static boolean hasMachines(String layout) {
            return StoredMachines.areIn(layout) || StoredFlows.areIn(layout);
        }
    }

    private StoredKeyGroups() {}

    /**
     * Finds them: reads a few bytes of each subtask. None if the operator is another's.
     *
     * @throws IOException if it cannot be told
     */
    static StoredKeyGroups of(OperatorState operator) throws IOException {
        StoredKeyGroups all = new StoredKeyGroups();
        for (var subtask : Handles.subtasks(operator).entrySet()) {
            for (KeyedStateHandle handle :
                    Handles.materialized(subtask.getValue().getRawKeyedState())) {
                if (handle instanceof KeyGroupsStateHandle keyGroups
                        && FilterSummary.isOurs(keyGroups)) {
                    StoredStream stream = Handles.streams(subtask.getKey(), handle).get(0);
                    for (KeyGroupRegions.Part part : KeyGroupRegions.of(keyGroups)) {
                        all.places.put(part.keyGroup(), new Place(stream, keyGroups, part));
                    }
                }
            }
        }
        return all;
    }

    /** Their numbers, in order. */
    Set<Integer> numbers() {
        return places.keySet();
    }

    /**
     * Reads a key group, but not the arrays of its filter.
     *
     * @param problems is told what is damaged
     * @return null if it is damaged
     */
    @Nullable
    KeyGroup read(int keyGroup, Consumer<Problem> problems) {
        Place place = places.get(keyGroup);
        String source = "key group " + keyGroup;
        long base = place.part.from();
        try (FSDataInputStream stream = place.handle.openInputStream()) {
            Region in = new Region(stream, base, place.part.end(), BUFFER_BYTES, read -> {});
            KeyGroupHeader header = KeyGroupHeader.readFrom(in, source);
            if (header.keyGroup() != keyGroup) {
                throw new CorruptFilterException(
                        source, 0, "has key group " + header.keyGroup() + ", not " + keyGroup);
            }
            base = in.position();
            if (!header.hasStructure()) {
                return new KeyGroup(header, null, null);
            }
            long body = base;
            if (KeyGroup.hasMachines(header.layout())) {
                return new KeyGroup(header, null, machines(header.layout(), in, source));
            }
            if (FilterReader.ofAnyKind(in, source).kind() != StoredDeduplicator.KIND) {
                return new KeyGroup(header, null, null);
            }
            in.seek(body);
            while (base < place.part.end()) {
                // So that what is damaged is noticed where it begins.
                check(FilterReader.ofAnyKind(in, source));
                base = in.position();
            }
            base = body;
            in.seek(body);
            return new KeyGroup(header, StoredDeduplicator.readFrom(in, source), null);
        } catch (IOException e) {
            problems.accept(Problem.of(place.stream, base, e));
            return null;
        }
    }

    /** The bytes of a key group, after its header. */
    static final class Body implements Closeable {
        private final StoredStream stream;
        private final FSDataInputStream bytes;
        private final Region in;
        private final KeyGroupHeader header;

        private Body(
                StoredStream stream, FSDataInputStream bytes, Region in, KeyGroupHeader header) {
            this.stream = stream;
            this.bytes = bytes;
            this.in = in;
            this.header = header;
        }

        KeyGroupHeader header() {
            return header;
        }

        /** Returns what follows the header, to the end of the key group. */
        Region in() {
            return in;
        }

        /** Returns the name of the file that it is in. */
        String name() {
            return stream.name();
        }

        @Override
        public void close() throws IOException {
            bytes.close();
        }
    }

    /**
     * Opens a key group that {@link #read} has read.
     *
     * @throws IOException if it cannot be read now
     */
    Body open(int keyGroup) throws IOException {
        Place place = places.get(keyGroup);
        FSDataInputStream bytes = place.handle.openInputStream();
        try {
            Region in =
                    new Region(
                            bytes, place.part.from(), place.part.end(), BODY_BUFFER_BYTES, n -> {});
            KeyGroupHeader header = KeyGroupHeader.readFrom(in, "key group " + keyGroup);
            return new Body(place.stream, bytes, in, header);
        } catch (IOException e) {
            bytes.close();
            throw e;
        }
    }

    @Nullable
    private static StoredMachines machines(String layout, Region in, String source)
            throws IOException {
        StoreKind kind = StoredMachines.store(layout);
        if (kind == StoreKind.KBF) {
            return null;
        }
        return StoredMachines.areIn(layout)
                ? StoredMachines.readFrom(in, source, kind)
                : StoredFlows.readFrom(in, source, kind);
    }

    private static void check(FilterReader envelope) throws IOException {
        if (envelope.kind() == StoredSample.KIND) {
            envelope.checkPayload();
        } else {
            envelope.skipPayload();
        }
    }
}
