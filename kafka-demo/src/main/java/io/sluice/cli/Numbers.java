/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.time.Instant;
import java.util.Locale;

/** How the tools print what they found. */
final class Numbers {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB"};

    private Numbers() {}

    /** A record of numbers, text and other records. */
    static String json(Object record) {
        try {
            return JSON.writeValueAsString(record);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a record of numbers and text has a JSON form", e);
        }
    }

    /** Bytes with three digits and a decimal unit. */
    static String bytes(long bytes) {
        return bytes((double) bytes);
    }

    /** Bytes with three digits and a decimal unit. */
    static String bytes(double bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 999.5 && unit < UNITS.length - 1) {
            value /= 1000;
            unit++;
        }
        String format =
                unit == 0 || value >= 99.95 ? "%.0f %s" : value >= 9.995 ? "%.1f %s" : "%.2f %s";
        return String.format(Locale.ROOT, format, value, UNITS[unit]);
    }

    /** The value of a fact, by what its name says that it is. */
    static String fact(String name, Object value) {
        if (value instanceof Number number) {
            if (name.equals("bytes")) {
                return bytes(number.doubleValue());
            }
            if (name.equals("windowMillis") || name.equals("timeToLiveMillis")) {
                return String.format(Locale.ROOT, "%,d ms", number.longValue());
            }
            if (name.endsWith("Millis")) {
                return time(number.longValue());
            }
            return value instanceof Double
                    ? String.format(Locale.ROOT, "%.4g", number.doubleValue())
                    : String.format(Locale.ROOT, "%,d", number.longValue());
        }
        return String.valueOf(value);
    }

    private static String time(long millis) {
        return millis == Long.MIN_VALUE || millis == Long.MAX_VALUE
                ? "unknown"
                : millis + " (" + Instant.ofEpochMilli(millis) + ")";
    }

    /** A name of the JSON form as words. */
    static String words(String name) {
        return name.replaceAll("([a-z])([A-Z])", "$1 $2").toLowerCase(Locale.ROOT);
    }
}
