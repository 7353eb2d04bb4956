/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the folder of real captures that some tests read, if there is one. */
public final class Captures {
    private Captures() {}

    /** The folder; the calling test is skipped if there is none. */
    public static Path directory() {
        Optional<Path> found =
                Stream.of(
                                Optional.ofNullable(System.getProperty("SLUICE_CAPTURES")),
                                Optional.ofNullable(System.getenv("SLUICE_CAPTURES")),
                                Optional.of("../shared/data/pcap"),
                                Optional.of("../../../shared/data/pcap"))
                        .flatMap(Optional::stream)
                        .map(Path::of)
                        .filter(Files::isDirectory)
                        .findFirst();
        assumeThat(found).as("captures not found: set SLUICE_CAPTURES").isPresent();
        return found.orElseThrow();
    }
}
