/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Wrote the golden file, once: a released format is never written again, so an existing file is
 * left alone. A new version gets a new name. Argument: the folder.
 */
final class GoldenFiles {

    private GoldenFiles() {}

    static CompositeManifest manifest() {
        return new CompositeManifest(
                128,
                32,
                63,
                "tuple(number,string)",
                new byte[] {1, 2, 3},
                new CompositeManifest.DelegatePart(
                        CompositeManifest.DelegateKind.STREAM,
                        "HashMapStateBackend",
                        new long[] {0, 17, -1}),
                List.of(
                        new CompositeManifest.StatePart(
                                new MembershipInfo("seen", 1e-6, 0, ""),
                                new byte[] {9, 8, 7, 6, 5},
                                new StoredSample(
                                        1L << 57,
                                        0,
                                        0,
                                        Long.MIN_VALUE,
                                        Long.MIN_VALUE,
                                        3,
                                        1,
                                        new long[] {0x0123456789abcdefL, 1_000_003}),
                                List.of(
                                        new CompositeManifest.FilePart("a.level", 4711, 0x12345678),
                                        new CompositeManifest.FilePart("b.level", 1L << 40, -1))),
                        new CompositeManifest.StatePart(
                                new MembershipInfo("später", 0.25, 3_600_000, "serialized"),
                                new byte[0],
                                null,
                                List.of())));
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        Files.write(
                folder.resolve("v2-composite.bin"),
                manifest().toBytes(),
                StandardOpenOption.CREATE_NEW);
    }
}
