/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import io.sluice.filter.cascade.CascadeSnapshot;
import io.sluice.filter.sample.StoredSample;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import javax.annotation.Nullable;

/**
 * A membership state at the moment of a checkpoint, as files that can be read.
 *
 * @param sample null if it has none
 */
record PreparedState(PinnedState pinned, @Nullable StateFile sample, List<StateFile> levelFiles) {

    private static final int NAME_BYTES = 16;

    /** Writes what was only in memory, unless that has happened already. */
    static PreparedState of(PinnedState state) throws IOException {
        state.snapshot().prepare();
        List<StateFile> files = new ArrayList<>();
        for (CascadeSnapshot.File file : state.snapshot().files()) {
            files.add(
                    new StateFile(
                            file.name(),
                            file.sizeBytes(),
                            file::open,
                            Optional.of(state.directory().resolve(file.name()))));
        }
        return new PreparedState(state, sample(state), List.copyOf(files));
    }

    @Nullable
    private static StateFile sample(PinnedState state) {
        StoredSample sample = state.sample();
        if (sample == null) {
            return null;
        }
        byte[] bytes = sample.toByteArray();
        return new StateFile(
                name(state.info().name(), bytes),
                bytes.length,
                () -> new ByteArrayInputStream(bytes),
                Optional.empty());
    }

    /**
     * Equal samples of a state have one name, so a sample that has not changed is not uploaded
     * again. Those of two states have two, as the files of all states lie side by side.
     */
    private static String name(String state, byte[] sample) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(state.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            byte[] hash = digest.digest(sample);
            return HexFormat.of().formatHex(Arrays.copyOf(hash, NAME_BYTES))
                    + CompositeManifest.SAMPLE_SUFFIX;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /** All its files. */
    List<StateFile> files() {
        List<StateFile> files = new ArrayList<>(levelFiles);
        if (sample != null) {
            files.add(sample);
        }
        return files;
    }

    /**
     * Returns what the manifest says about it.
     *
     * @param crc32c of each of its files
     */
    CompositeManifest.StatePart part(ToIntFunction<StateFile> crc32c) {
        return new CompositeManifest.StatePart(
                pinned.info(),
                pinned.snapshot().manifest(),
                sample == null ? null : part(sample, crc32c),
                levelFiles.stream().map(file -> part(file, crc32c)).toList());
    }

    private static CompositeManifest.FilePart part(
            StateFile file, ToIntFunction<StateFile> crc32c) {
        return new CompositeManifest.FilePart(
                file.name(), file.sizeBytes(), crc32c.applyAsInt(file));
    }
}
