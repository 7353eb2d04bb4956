/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** Numbers as people read them. */
final class Spoken {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    /** No time of a stream is meant beyond this; Instant has bounds of its own. */
    private static final long MAX_MILLIS = 253_402_300_799_999L;

    private Spoken() {}

    static String bytes(double bytes) {
        double left = bytes;
        int unit = 0;
        while (left >= 1024 && unit < UNITS.length - 1) {
            left /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", left, UNITS[unit]);
    }

    static String duration(long millis) {
        Duration duration = Duration.ofMillis(millis);
        if (duration.toDays() > 0) {
            return duration.toDays() + " d " + duration.toHoursPart() + " h";
        }
        if (duration.toHours() > 0) {
            return duration.toHours() + " h " + duration.toMinutesPart() + " min";
        }
        return duration.toMinutes() > 0
                ? duration.toMinutes() + " min " + duration.toSecondsPart() + " s"
                : millis + " ms";
    }

    /** What a field of this name holds, in words. */
    static String value(String field, Object value) {
        if (value instanceof Long millis && field.endsWith("Millis")) {
            if (field.equals("windowMillis") || field.equals("timeToLiveMillis")) {
                return duration(millis);
            }
            return Math.abs(millis) <= MAX_MILLIS
                    ? Instant.ofEpochMilli(millis).toString()
                    : millis + " ms";
        }
        if (value instanceof Number number && field.equals("bytes")) {
            return bytes(number.doubleValue());
        }
        if (value instanceof Double number) {
            return String.format(Locale.ROOT, "%.4g", number);
        }
        return value instanceof Long || value instanceof Integer
                ? String.format(Locale.ROOT, "%,d", ((Number) value).longValue())
                : String.valueOf(value);
    }
}
