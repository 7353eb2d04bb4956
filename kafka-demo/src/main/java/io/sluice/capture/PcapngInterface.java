/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/**
 * What an interface description block of pcapng says about the packets of that interface.
 *
 * @param linkType registered number
 * @param snapLength bytes captured at most; 0 means unlimited
 * @param resolution units of a timestamp: 10^-n seconds, or 2^-n with the high bit set
 * @param offsetSeconds to add to every timestamp
 */
record PcapngInterface(int linkType, long snapLength, int resolution, long offsetSeconds) {
    /** Microseconds: what holds without a statement. */
    static final int MICROS = 6;

    private static final int BINARY = 0x80;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int NANOS_EXPONENT = 9;
    private static final int MAX_DECIMAL_EXPONENT = 19;
    private static final int MAX_BINARY_EXPONENT = 63;

    boolean hasKnownResolution() {
        return (resolution & BINARY) == 0
                ? resolution <= MAX_DECIMAL_EXPONENT
                : (resolution & ~BINARY) <= MAX_BINARY_EXPONENT;
    }

    /** A timestamp in this interface's units since 1970 as nanoseconds, rounded down. */
    long nanos(long units) {
        long exact =
                (resolution & BINARY) == 0
                        ? decimalNanos(units)
                        : binaryNanos(units, resolution & ~BINARY);
        return exact + offsetSeconds * NANOS_PER_SECOND;
    }

    private long decimalNanos(long units) {
        return resolution <= NANOS_EXPONENT
                ? units * powerOfTen(NANOS_EXPONENT - resolution)
                : Long.divideUnsigned(units, powerOfTen(resolution - NANOS_EXPONENT));
    }

    private static long binaryNanos(long units, int exponent) {
        long seconds = units >>> exponent;
        long fraction = units & ((1L << exponent) - 1);
        // Beyond 32 bits a fraction is finer than a nanosecond, and its product would not fit.
        int excess = Math.max(0, exponent - Integer.SIZE);
        return seconds * NANOS_PER_SECOND
                + (((fraction >>> excess) * NANOS_PER_SECOND) >>> (exponent - excess));
    }

    private static long powerOfTen(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }
}
