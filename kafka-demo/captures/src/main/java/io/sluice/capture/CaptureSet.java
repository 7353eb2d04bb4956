/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Captures that are read as one, by time: the two directions of a link, for which backbone monitors
 * write separate files, or the minutes of an hour. Immutable.
 *
 * @param captures at least one
 * @param insideTunnels whether the innermost IP header of a tunnelled packet counts
 */
public record CaptureSet(List<Capture> captures, boolean insideTunnels) {
    /**
     * A capture, and the file of its times if they are kept separately.
     *
     * @param path a pcap or pcapng file, plain or gzip
     * @param times a text file with a line for each packet, plain or gzip
     */
    public record Capture(Path path, Optional<Path> times) {}

    /** Checks that there is a capture. */
    public CaptureSet {
        captures = List.copyOf(captures);
        if (captures.isEmpty()) {
            throw new IllegalArgumentException("captures must not be empty: name at least one");
        }
    }

    /** One capture with its own times; for tunnels the outermost header counts. */
    public static CaptureSet of(Path capture) {
        return of(List.of(capture), List.of(), false);
    }

    /**
     * Several captures.
     *
     * @param times of each capture, in the same order; empty if they have their own
     * @throws IllegalArgumentException unless there are no times or one file of times per capture
     */
    public static CaptureSet of(List<Path> captures, List<Path> times, boolean insideTunnels) {
        if (!times.isEmpty() && times.size() != captures.size()) {
            throw new IllegalArgumentException(
                    "times must be given for none of the captures or for all "
                            + captures.size()
                            + " in the same order, not for "
                            + times.size());
        }
        List<Capture> pairs = new ArrayList<>();
        for (int i = 0; i < captures.size(); i++) {
            pairs.add(
                    new Capture(
                            captures.get(i),
                            times.isEmpty() ? Optional.empty() : Optional.of(times.get(i))));
        }
        return new CaptureSet(pairs, insideTunnels);
    }

    /** The captures' paths, as text. */
    public String name() {
        return captures.stream()
                .map(capture -> capture.path().toString())
                .collect(Collectors.joining(", "));
    }

    /**
     * Opens all of them. Takes about 1 MiB of memory for each file.
     *
     * @throws CaptureException if one is not a capture, or is of an unsupported kind
     * @throws IOException if one cannot be read
     */
    public PacketSource open() throws IOException {
        List<CaptureReader> readers = new ArrayList<>();
        try {
            for (Capture capture : captures) {
                readers.add(CaptureReader.open(capture, insideTunnels));
            }
        } catch (IOException | RuntimeException e) {
            MergedCaptures.closeAll(readers, e);
            throw e;
        }
        return readers.size() == 1 ? readers.get(0) : new MergedCaptures(readers);
    }
}
