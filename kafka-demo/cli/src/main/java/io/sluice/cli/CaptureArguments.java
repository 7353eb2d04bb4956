/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.capture.CaptureSet;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which captures are read, and how. */
final class CaptureArguments {
    @Parameters(
            arity = "1..*",
            paramLabel = "CAPTURE",
            description =
                    "A pcap or pcapng file, plain or gzip. Several, such as the two directions of a"
                            + " link, are merged by time.")
    private List<Path> captures;

    @Option(
            names = "--times",
            paramLabel = "FILE",
            description =
                    "A text file with the times of the packets, a line 'seconds.nanoseconds' for"
                            + " each, plain or gzip, like the ones that accompany CAIDA's captures."
                            + " Give it once per capture, in the same order.")
    private List<Path> times = List.of();

    @Option(
            names = "--inside-tunnels",
            description =
                    "For IP in IP, GRE, VXLAN, Geneve and GTP, take the innermost packet. Default:"
                            + " the outermost.")
    private boolean insideTunnels;

    /**
     * The captures.
     *
     * @throws IllegalArgumentException unless there are no times or one file of times per capture
     */
    CaptureSet set() {
        return CaptureSet.of(captures, times, insideTunnels);
    }
}
