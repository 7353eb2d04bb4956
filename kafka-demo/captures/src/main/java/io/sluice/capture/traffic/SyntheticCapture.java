/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import io.sluice.capture.AtomicFile;
import io.sluice.capture.CaptureWriter;
import io.sluice.capture.LinkType;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Writes what a generator makes as a capture: raw IP, headers only, nanoseconds. Stateless. */
final class SyntheticCapture {
    /** The value in CAIDA's files; the headers are shorter. */
    private static final int SNAP_LENGTH = 65535;

    /** Writes all packets. */
    @FunctionalInterface
    interface Packets {
        void writeTo(CaptureWriter writer) throws IOException;
    }

    private SyntheticCapture() {}

    /**
     * Writes a file, compressed if its name ends in {@code .gz}. It appears when it is complete.
     *
     * @throws IOException if it cannot be written; nothing is left of it then
     */
    static void write(Path target, Packets packets) throws IOException {
        boolean compressed = target.toString().endsWith(".gz");
        AtomicFile.write(target, out -> write(compressed ? new FastGzip(out) : out, packets));
    }

    /** Writes to {@code out}, uncompressed, and closes it. */
    static void write(OutputStream out, Packets packets) throws IOException {
        try (CaptureWriter writer = new CaptureWriter(out, LinkType.RAW, SNAP_LENGTH)) {
            packets.writeTo(writer);
        }
    }

    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(new BufferedOutputStream(out));
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
