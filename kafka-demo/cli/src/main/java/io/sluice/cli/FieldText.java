/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.plan.HumanReadable;
import java.time.Instant;
import java.util.Locale;

/** Values of a checkpoint's description as people read them. */
final class FieldText {
    /** No time of a stream is meant beyond this; Instant has bounds of its own. */
    private static final long MAX_MILLIS = 253_402_300_799_999L;

    private FieldText() {}

    /** What a field of this name holds, in words. */
    static String of(String field, Object value) {
        if (value instanceof Long millis && field.endsWith("Millis")) {
            if (field.equals("windowMillis") || field.equals("timeToLiveMillis")) {
                return HumanReadable.duration(millis);
            }
            return Math.abs(millis) <= MAX_MILLIS
                    ? Instant.ofEpochMilli(millis).toString()
                    : millis + " ms";
        }
        if (value instanceof Number number && field.equals("bytes")) {
            return HumanReadable.bytes(number.doubleValue());
        }
        if (value instanceof Double number) {
            return String.format(Locale.ROOT, "%.4g", number);
        }
        return value instanceof Long || value instanceof Integer
                ? String.format(Locale.ROOT, "%,d", ((Number) value).longValue())
                : String.valueOf(value);
    }
}
