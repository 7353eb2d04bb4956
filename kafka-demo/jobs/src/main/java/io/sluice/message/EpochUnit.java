/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import javax.annotation.Nullable;

/** What a number that is a time counts, since 1970. */
public enum EpochUnit {
    SECONDS("s", 3),
    MILLIS("ms", 0),
    MICROS("us", -3),
    NANOS("ns", -6);

    /** No producer writes older times as numbers in a unit that it did not choose itself. */
    private static final long FIRST = Instant.parse("1990-01-01T00:00:00Z").toEpochMilli();

    private static final long LAST = Instant.parse("2100-01-01T00:00:00Z").toEpochMilli();

    private final String code;
    private final int powerOfTen;

    EpochUnit(String code, int powerOfTen) {
        this.code = code;
        this.powerOfTen = powerOfTen;
    }

    /** As options write it: s, ms, us or ns. */
    public String code() {
        return code;
    }

    /** The unit with this code, in upper or lower case; empty if there is none. */
    public static Optional<EpochUnit> ofCode(String code) {
        return Arrays.stream(values()).filter(unit -> unit.code.equalsIgnoreCase(code)).findAny();
    }

    /** Milliseconds in a unit are 10 to the power of this. */
    int powerOfTen() {
        return powerOfTen;
    }

    /**
     * Returns how many whole milliseconds {@code number} of this unit are, rounded down.
     *
     * @throws ArithmeticException if they are more than a long holds
     */
    long millis(long number) {
        return switch (this) {
            case SECONDS -> Math.multiplyExact(number, 1_000L);
            case MILLIS -> number;
            case MICROS -> Math.floorDiv(number, 1_000L);
            case NANOS -> Math.floorDiv(number, 1_000_000L);
        };
    }

    /**
     * Returns the least number of this unit that is not before {@code millis}.
     *
     * @throws ArithmeticException if it is more than a long holds
     */
    public long ofMillis(long millis) {
        return switch (this) {
            case SECONDS -> -Math.floorDiv(-millis, 1_000L);
            case MILLIS -> millis;
            case MICROS -> Math.multiplyExact(millis, 1_000L);
            case NANOS -> Math.multiplyExact(millis, 1_000_000L);
        };
    }

    /**
     * Returns the unit other than milliseconds in which {@code number} lies between 1990 and 2100;
     * null if there is none. Seconds of that time, read as milliseconds, lie in January 1970;
     * microseconds after the year 20000.
     */
    @Nullable
    static EpochUnit seeming(long number) {
        if (number >= FIRST / 1_000 && number < LAST / 1_000) {
            return SECONDS;
        }
        // Most numbers are in between.
        if (number < FIRST * 1_000) {
            return null;
        }
        return number < LAST * 1_000
                ? MICROS
                : number >= FIRST * 1_000_000 && number < LAST * 1_000_000 ? NANOS : null;
    }
}
