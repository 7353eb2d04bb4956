/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.capture.CaptureEnd;
import io.sluice.capture.CaptureReader;
import io.sluice.capture.Packet;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What must be known about a capture before it is replayed: that it is complete and has something
 * to count, how long it lasts and how far its times go back. One pass, constant memory.
 *
 * @param packets all packets
 * @param operations how many of them are IP packets
 * @param firstMillis the smallest capture time
 * @param lastMillis the largest
 * @param disorderMillis the most by which a packet's time lies below the largest one before it
 */
record CaptureSurvey(
        long packets, long operations, long firstMillis, long lastMillis, long disorderMillis) {

    private static final long NANOS_PER_MILLI = 1_000_000L;

    /**
     * Reads {@code capture} to its end.
     *
     * @throws IOException with what to do, if it is not a capture, has no IP packet, or is cut or
     *     damaged and {@code acceptDamaged} is false
     */
    static CaptureSurvey of(Path capture, boolean acceptDamaged) throws IOException {
        long packets = 0;
        long operations = 0;
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        long disorder = 0;
        CaptureEnd end;
        try (CaptureReader reader = CaptureReader.open(capture)) {
            Packet packet = reader.packet();
            while (reader.next()) {
                packets++;
                if (packet.isIp()) {
                    operations++;
                    long millis = Math.floorDiv(packet.timestampNanos(), NANOS_PER_MILLI);
                    first = Math.min(first, millis);
                    last = Math.max(last, millis);
                    disorder = Math.max(disorder, last - millis);
                }
            }
            end = reader.end();
        }
        if (!end.isClean() && !acceptDamaged) {
            throw new IOException(
                    end.message()
                            + ": use a whole capture, or pass --accept-damaged to replay the "
                            + packets
                            + " packets before");
        }
        if (operations == 0) {
            throw new IOException(
                    capture
                            + " holds "
                            + (packets == 0 ? "no packets" : packets + " packets but no IP packet")
                            + ": there is nothing to count; use another capture");
        }
        return new CaptureSurvey(packets, operations, first, last, disorder);
    }

    /** From the first to the last capture time, in seconds; at least 0.001. */
    double seconds() {
        return Math.max(1, lastMillis - firstMillis) / 1000.0;
    }
}
