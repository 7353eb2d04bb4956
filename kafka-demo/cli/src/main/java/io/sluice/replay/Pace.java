/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import java.util.Locale;

/**
 * How fast a capture is replayed.
 *
 * @param factor seconds of capture time per second, positive; infinite means as fast as possible
 */
public record Pace(double factor) {
    /** As fast as broker and machine allow. */
    public static final Pace MAX = new Pace(Double.POSITIVE_INFINITY);

    /** Checks the factor. */
    public Pace {
        if (!(factor > 0)) {
            throw new IllegalArgumentException("speed must be positive, not " + factor);
        }
    }

    /**
     * Reads {@code 1x}, {@code 10x}, {@code 0.5x} or {@code max}.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public static Pace parse(String text) {
        String lower = text.trim().toLowerCase(Locale.ROOT);
        if (lower.equals("max")) {
            return MAX;
        }
        try {
            if (lower.endsWith("x")) {
                return new Pace(Double.parseDouble(lower.substring(0, lower.length() - 1)));
            }
        } catch (NumberFormatException e) {
            throw badPace(text, e);
        }
        throw badPace(text, null);
    }

    private static IllegalArgumentException badPace(String text, NumberFormatException cause) {
        return new IllegalArgumentException(
                "speed '" + text + "' is not understood: use '1x', '10x', '0.5x' or 'max'", cause);
    }

    /** Whether records never wait. */
    public boolean isMax() {
        return Double.isInfinite(factor);
    }

    @Override
    public String toString() {
        return isMax() ? "max" : factor + "x";
    }
}
