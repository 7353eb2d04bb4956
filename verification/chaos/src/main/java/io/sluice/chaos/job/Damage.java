/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import io.sluice.inspect.CheckpointLocation;
import io.sluice.inspect.ReadProgress;
import io.sluice.inspect.StoredCheckpoint;
import io.sluice.inspect.Verifier;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** A file of a checkpoint that was damaged or removed, and can be repaired. */
final class Damage {
    /** What is done to the file. */
    private enum How {
        MISSING,
        CUT,
        FLIPPED
    }

    private static final String ROCKSDB_OPTIONS = "# This is a RocksDB option file.";

    private final String checkpoint;
    private final Path file;
    private final How how;
    private final byte[] original;

    private Damage(String checkpoint, Path file, How how, byte[] original) {
        this.checkpoint = checkpoint;
        this.file = file;
        this.how = how;
        this.original = original;
    }

    /**
     * Damages one.
     *
     * @param checkpoint URI of its folder
     * @param maskable whether the large files have nothing but checksummed bytes of Sluice, so that
     *     a flipped bit is found; Flink's own states have no checksum
     */
    static Damage to(String checkpoint, boolean maskable, SplittableRandom random)
            throws IOException {
        Path folder = Path.of(URI.create(checkpoint).getPath());
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : all.sorted().toList()) {
                if (!file.endsWith("_metadata") && !isUnread(file)) {
                    files.add(file);
                }
            }
        }
        boolean isState = !files.isEmpty() && random.nextBoolean();
        Path file = isState ? files.get(random.nextInt(files.size())) : folder.resolve("_metadata");
        How how = How.values()[random.nextInt(isState && maskable ? How.values().length : 2)];
        Damage damage = new Damage(checkpoint, file, how, Files.readAllBytes(file));
        damage.inflict(random);
        return damage;
    }

    /** RocksDB keeps its options beside its data, and does not need them when it opens. */
    private static boolean isUnread(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(ROCKSDB_OPTIONS.length()), StandardCharsets.US_ASCII)
                    .equals(ROCKSDB_OPTIONS);
        }
    }

    private void inflict(SplittableRandom random) throws IOException {
        switch (how) {
            case MISSING -> Files.delete(file);
            case CUT -> Files.write(file, java.util.Arrays.copyOf(original, original.length / 2));
            case FLIPPED -> {
                byte[] flipped = original.clone();
                flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
                Files.write(file, flipped);
            }
        }
    }

    void repair() throws IOException {
        Files.write(file, original);
    }

    /** What {@code sluice verify} says: the damage, by the name of the file. */
    String verify() {
        try {
            return Verifier.verify(
                            StoredCheckpoint.load(
                                    CheckpointLocation.find(checkpoint),
                                    Damage.class.getClassLoader()),
                            ReadProgress.NONE)
                    .problems()
                    .toString();
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    /**
     * Whether a refusal says enough: it names the file, or, of a filter, the operator and the key
     * group, since Flink does not tell an operator what file its state is from. Of its own states
     * on the heap, Flink says the operator and the subtask; of metadata that are cut, nothing.
     */
    boolean isNamedBy(String refusal) {
        return refusal.contains(fileName())
                || refusal.contains("CorruptFilterException: state of operator")
                || (refusal.contains("Could not restore keyed state backend for ")
                        && refusal.contains("Failed when trying to restore heap backend"))
                || (how == How.CUT && fileName().equals("_metadata"));
    }

    /** The last part of the file's name; the whole may be cut in a message. */
    String fileName() {
        return file.getFileName().toString();
    }

    @Override
    public String toString() {
        return file.getParent().getFileName()
                + "/"
                + fileName()
                + " was "
                + switch (how) {
                    case MISSING -> "missing";
                    case CUT -> "cut";
                    case FLIPPED -> "flipped in one bit";
                };
    }
}
