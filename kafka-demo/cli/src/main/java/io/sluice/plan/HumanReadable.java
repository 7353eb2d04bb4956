/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import java.util.Locale;
import org.apache.flink.annotation.Internal;

/** Numbers as people read them. */
@Internal
public final class HumanReadable {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private static final double MIN_PLAIN = 1e-3;

    private static final double MAX_PLAIN = 1e15;

    /** With three digits, this times a power of ten is written as the next one. */
    private static final double ROUNDED_UP = 9.995;

    private HumanReadable() {}

    /** One digit behind the point. */
    public static String bytes(double bytes) {
        double left = bytes;
        int unit = 0;
        while (left >= 1024 && unit < UNITS.length - 1) {
            left /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", left, UNITS[unit]);
    }

    /** The two greatest units. */
    public static String duration(long millis) {
        long seconds = millis / 1000;
        long minutes = seconds / 60;
        long hours = minutes / 60;
        long days = hours / 24;
        if (days > 0) {
            return days + " d " + hours % 24 + " h";
        }
        if (hours > 0) {
            return hours + " h " + minutes % 60 + " min";
        }
        return minutes > 0 ? minutes + " min " + seconds % 60 + " s" : millis + " ms";
    }

    /**
     * Three digits or all before the point: 4,320; 0.0432; 1.00e-6.
     *
     * @param number at least 0
     */
    public static String number(double number) {
        if (number == 0) {
            return "0";
        }
        int exponent = (int) Math.floor(Math.log10(number));
        if (number >= ROUNDED_UP * Math.pow(10, exponent)) {
            exponent++;
        }
        if (number < MIN_PLAIN || number >= MAX_PLAIN) {
            return String.format(Locale.ROOT, "%.2f", number / Math.pow(10, exponent))
                    + "e"
                    + exponent;
        }
        return exponent >= 2
                ? String.format(Locale.ROOT, "%,d", Math.round(number))
                : String.format(Locale.ROOT, "%." + (2 - exponent) + "f", number);
    }
}
