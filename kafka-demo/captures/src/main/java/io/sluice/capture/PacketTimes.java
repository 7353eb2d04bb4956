/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads the times of a capture's packets from a text file, plain or gzip, with a line {@code
 * seconds.fraction} per packet in the same order. CAIDA's older sets hold microseconds in the
 * capture and keep the nanoseconds in such a file.
 *
 * <p>The first line decides whether the file belongs to the capture. If a later line is missing, is
 * not a time, or is not near the packet's own time, only that packet loses its nanoseconds.
 */
final class PacketTimes implements Closeable {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int MAX_LINE_BYTES = 64;
    private static final int MAX_SECONDS_DIGITS = 10;

    /** Times further from the capture's own belong to another packet. */
    private static final long MAX_DIFFERENCE_NANOS = NANOS_PER_SECOND;

    private static final long NO_TIME = -1;

    private final CaptureInput input;
    private final CaptureTally tally;
    private boolean belongs;

    PacketTimes(String file, InputStream stream, CaptureTally tally) throws IOException {
        input = new CaptureInput(file, stream);
        this.tally = tally;
    }

    /**
     * The time of the next packet in nanoseconds; the capture's own time if there is no such line.
     *
     * @param capturedNanos the capture's own time
     * @throws CaptureException if the first line is not a time near it
     */
    long next(long capturedNanos) throws IOException {
        long nanos = nextLine();
        long difference = nanos - capturedNanos;
        boolean near = difference <= MAX_DIFFERENCE_NANOS && difference >= -MAX_DIFFERENCE_NANOS;
        if (nanos != NO_TIME && near) {
            belongs = true;
            return nanos;
        }
        if (!belongs) {
            throw new CaptureException(
                    input.file(),
                    0,
                    nanos == NO_TIME
                            ? "is not a list of times"
                            : "begins with another time than the capture",
                    "give the file of times that belongs to the capture, or none");
        }
        tally.addRefusedTime();
        return capturedNanos;
    }

    /** The next line as nanoseconds, or {@link #NO_TIME}. */
    private long nextLine() throws IOException {
        input.ensure(MAX_LINE_BYTES);
        byte[] window = input.window();
        int from = input.position();
        int end = from + Math.min(input.available(), MAX_LINE_BYTES);
        int at = from;
        long seconds = 0;
        long unit = NANOS_PER_SECOND;
        long fraction = 0;
        boolean inFraction = false;
        boolean isTime = at < end;
        while (at < end && !isLineEnd(window[at])) {
            int digit = window[at] - '0';
            if (window[at] == '.' && !inFraction && at > from) {
                inFraction = true;
            } else if (digit < 0 || digit > 9 || at - from == MAX_LINE_BYTES - 1) {
                isTime = false;
            } else if (inFraction) {
                unit /= 10;
                fraction += digit * unit;
            } else {
                seconds = seconds * 10 + digit;
                isTime &= at - from < MAX_SECONDS_DIGITS;
            }
            at++;
        }
        isTime &= at > from;
        input.skip(at - from);
        skipLine();
        return isTime ? seconds * NANOS_PER_SECOND + fraction : NO_TIME;
    }

    /** Skips the rest of the line, however long, and its end. */
    private void skipLine() throws IOException {
        while (input.ensure(1)) {
            byte next = input.window()[input.position()];
            input.skip(1);
            if (next == '\n') {
                return;
            }
        }
    }

    private static boolean isLineEnd(byte character) {
        return character == '\n' || character == '\r';
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
