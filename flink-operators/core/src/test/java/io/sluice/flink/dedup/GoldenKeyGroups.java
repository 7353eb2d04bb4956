/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.PinnedKeyGroups;
import io.sluice.flink.runtime.StateIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory.MemoryCheckpointOutputStream;

/**
 * Wrote the golden key groups, once: a released format is never written again, so existing files
 * are left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenKeyGroups {

    static final int WITH_IDS = 3;
    static final int WITHOUT_IDS = 4;
    static final long IDS = 300;
    static final long CLOCK = 250;
    static final int WATCHED = 64;
    static final WindowOptions OPTIONS =
            WindowOptions.builder()
                    .windowMillis(1_000)
                    .falsePositiveProbability(1e-3)
                    .clockOfCaller()
                    .build();

    private GoldenKeyGroups() {}

    /** The state of a subtask that has one key group. */
    static KeyGroupedState<Deduplicator> state(int keyGroup, MemoryBudget budget) {
        return new KeyGroupedState<>(
                "golden",
                KeyGroupRange.of(keyGroup, keyGroup),
                10,
                "golden layout",
                Set.of("golden layout"),
                identity(),
                new Handler(budget));
    }

    private static StateIdentity identity() {
        var type = Types.TUPLE(Types.STRING, Types.INT);
        try {
            return IdsIdentity.ofHashed(
                    GoldenKeyGroups.class.getClassLoader(),
                    IdHasher.of(type, new SerializerConfigImpl()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        KeyGroupedState<Deduplicator> state = state(WITH_IDS, new MemoryBudget(1 << 20));
        Deduplicator group = state.get(WITH_IDS);
        for (long id = 0; id < IDS; id++) {
            group.decide(Hashing.hash(id), id);
        }
        group.advanceTo(CLOCK);
        write(state, folder.resolve("v5-key-group.bin"));
        write(
                state(WITHOUT_IDS, new MemoryBudget(1 << 20)),
                folder.resolve("v5-empty-key-group.bin"));
    }

    private static void write(KeyGroupedState<Deduplicator> state, Path file) throws IOException {
        var bytes = new MemoryCheckpointOutputStream(1 << 20);
        try (PinnedKeyGroups pinned = state.pin()) {
            pinned.writeTo(bytes);
        }
        Files.write(file, bytes.closeAndGetBytes(), StandardOpenOption.CREATE_NEW);
    }

    private record Handler(MemoryBudget budget) implements KeyGroupedState.Handler<Deduplicator> {

        @Override
        public Deduplicator create() {
            return Deduplicator.create(OPTIONS, budget, 0, WATCHED);
        }

        @Override
        public void write(Deduplicator group, OutputStream out) throws IOException {
            group.writeTo(out);
        }

        @Override
        public Deduplicator read(InputStream in, String source) throws IOException {
            return Deduplicator.readFrom(in, source, OPTIONS, budget, WATCHED);
        }
    }
}
