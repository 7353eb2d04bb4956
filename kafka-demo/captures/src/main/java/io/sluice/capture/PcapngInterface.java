/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/**
 * What an interface description block of pcapng says about the packets of that interface.
 *
 * @param linkType registered number
 * @param snapLength most bytes captured of a packet; 0 means unlimited
 * @param resolution units of a timestamp: 10^-n seconds, or 2^-n with the high bit set
 * @param offsetSeconds to add to every timestamp
 */
record PcapngInterface(int linkType, long snapLength, int resolution, long offsetSeconds) {
    /** Microseconds, the default. */
    static final int MICROS = 6;

    /** What {@link #nanos} returns for a time that it cannot express. */
    static final long NO_TIME = -1;

    private static final int BINARY = 0x80;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int NANOS_EXPONENT = 9;
    private static final int MAX_DECIMAL_EXPONENT = 19;
    private static final int MAX_BINARY_EXPONENT = 63;

    /** Seconds that fit a long as nanoseconds, including a fraction of a second: until 2262. */
    private static final long MAX_SECONDS = Long.MAX_VALUE / NANOS_PER_SECOND - 1;

    /**
     * A timestamp in this interface's units since 1970 as nanoseconds, rounded down; {@link
     * #NO_TIME} if it is before 1970 or after 2261, or its unit is finer than any clock's.
     *
     * @param units unsigned
     */
    long nanos(long units) {
        boolean binary = (resolution & BINARY) != 0;
        int exponent = resolution & ~BINARY;
        if (exponent > (binary ? MAX_BINARY_EXPONENT : MAX_DECIMAL_EXPONENT)) {
            return NO_TIME;
        }
        long perSecond = binary ? 1L << exponent : powerOfTen(exponent);
        long seconds = Long.divideUnsigned(units, perSecond);
        long fraction = Long.remainderUnsigned(units, perSecond);
        if (Long.compareUnsigned(seconds, MAX_SECONDS) > 0
                || offsetSeconds > MAX_SECONDS - seconds
                || offsetSeconds < -seconds) {
            return NO_TIME;
        }
        return (seconds + offsetSeconds) * NANOS_PER_SECOND
                + (binary ? binaryNanos(fraction, exponent) : decimalNanos(fraction, exponent));
    }

    private static long decimalNanos(long fraction, int exponent) {
        return exponent <= NANOS_EXPONENT
                ? fraction * powerOfTen(NANOS_EXPONENT - exponent)
                : Long.divideUnsigned(fraction, powerOfTen(exponent - NANOS_EXPONENT));
    }

    private static long binaryNanos(long fraction, int exponent) {
        // With more than 32 bits a fraction is finer than a nanosecond, and its product would not
        // fit.
        int excess = Math.max(0, exponent - Integer.SIZE);
        return ((fraction >>> excess) * NANOS_PER_SECOND) >>> (exponent - excess);
    }

    /** 10^exponent, which for 19 exceeds the range of signed numbers. */
    private static long powerOfTen(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }
}
