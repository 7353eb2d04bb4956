/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads the times of a capture's packets from a text file, plain or gzip, with a line {@code
 * seconds.fraction} per packet in the same order. CAIDA's older sets hold microseconds in the
 * capture and keep the nanoseconds that way.
 */
final class PacketTimes implements Closeable {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int MAX_LINE_BYTES = 64;

    /** Times further from the capture's own belong to another capture. */
    private static final long MAX_DIFFERENCE_NANOS = NANOS_PER_SECOND;

    private final CaptureInput input;

    PacketTimes(String file, InputStream stream) throws IOException {
        input = new CaptureInput(file, stream);
    }

    /**
     * The time of the next packet in nanoseconds.
     *
     * @param capturedNanos what the capture says
     * @throws CaptureException if there is no such line, or it is no time near that one
     */
    long next(long capturedNanos) throws IOException {
        boolean whole = input.ensure(MAX_LINE_BYTES);
        if (!whole && input.available() == 0) {
            throw wrong("ends before the capture does");
        }
        byte[] window = input.window();
        int at = input.position();
        int end = at + Math.min(input.available(), MAX_LINE_BYTES);
        long seconds = 0;
        long unit = NANOS_PER_SECOND;
        long fraction = 0;
        boolean inFraction = false;
        while (at < end && window[at] != '\n' && window[at] != '\r') {
            int digit = window[at] - '0';
            if (window[at] == '.' && !inFraction) {
                inFraction = true;
            } else if (digit < 0 || digit > 9) {
                throw wrong("is not a list of times");
            } else if (inFraction) {
                unit /= 10;
                fraction += digit * unit;
            } else {
                seconds = seconds * 10 + digit;
            }
            at++;
        }
        if (at == end && whole) {
            throw wrong("is not a list of times");
        }
        long nanos = seconds * NANOS_PER_SECOND + fraction;
        long difference = nanos - capturedNanos;
        if (difference > MAX_DIFFERENCE_NANOS || difference < -MAX_DIFFERENCE_NANOS) {
            throw wrong("has another time than the packet in the capture");
        }
        while (at < end && (window[at] == '\n' || window[at] == '\r')) {
            at++;
        }
        input.skip(at - input.position());
        return nanos;
    }

    private CaptureException wrong(String problem) {
        return new CaptureException(
                input.file(),
                input.offset(),
                problem,
                "give the file of times that belongs to the capture, or none");
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
