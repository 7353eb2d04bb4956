/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import javax.annotation.Nullable;

/** What is in the golden files. */
final class GoldenFiles {

    /** By name of the file. */
    static final Map<String, CompositeManifest> FILES =
            Map.of(
                    "v5-composite.bin", manifest(),
                    "v5-incremental.bin", incremental(),
                    "v5-alone.bin", alone());

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
                LongStream.range(32, 64).map(group -> 11 * group).toArray(),
                List.of(
                        new CompositeManifest.StatePart(
                                new MembershipInfo("seen", 1e-6, 0, ""),
                                new byte[] {9, 8, 7, 6, 5},
                                new CompositeManifest.FilePart(
                                        "0123456789abcdef.sample", 176, 0x0fedcba9),
                                List.of(
                                        new CompositeManifest.FilePart("a.level", 4711, 0x12345678),
                                        new CompositeManifest.FilePart("b.level", 1L << 40, -1))),
                        new CompositeManifest.StatePart(
                                new MembershipInfo("später", 0.25, 3_600_000, "serialized"),
                                new byte[0],
                                null,
                                List.of())));
    }

    /** Beside files of the delegate, with a sample and without. */
    private static CompositeManifest incremental() {
        return new CompositeManifest(
                32_768,
                0,
                32_767,
                "",
                new byte[0],
                new CompositeManifest.DelegatePart(
                        CompositeManifest.DelegateKind.INCREMENTAL,
                        "EmbeddedRocksDBStateBackend",
                        new long[0]),
                new long[0],
                List.of(
                        state(
                                "keys that expire",
                                new CompositeManifest.FilePart("0.sample", 1L << 31, -1)),
                        state("keys that are not watched", null)));
    }

    private static CompositeManifest.StatePart state(
            String name, @Nullable CompositeManifest.FilePart sample) {
        return new CompositeManifest.StatePart(
                new MembershipInfo(name, 1e-3, 86_400_000, ""),
                new byte[] {1},
                sample,
                List.of(
                        new CompositeManifest.FilePart(
                                name.replace(' ', '-') + ".level", 4_096, 0)));
    }

    /** Of a subtask without any state. */
    private static CompositeManifest alone() {
        return new CompositeManifest(
                1,
                0,
                0,
                "string",
                new byte[] {-1},
                new CompositeManifest.DelegatePart(
                        CompositeManifest.DelegateKind.NONE, "HashMapStateBackend", new long[0]),
                new long[] {5},
                List.of());
    }
}
