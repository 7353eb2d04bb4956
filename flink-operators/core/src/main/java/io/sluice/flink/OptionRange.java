/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.util.TimeUtils;

/**
 * The values that an option may have.
 *
 * @param most null if there is no upper bound
 * @param remedy what to do about a value outside, a sentence without its first capital
 */
@Internal
public record OptionRange<T extends Comparable<T>>(
        ConfigOption<T> option, T least, @Nullable T most, String remedy) {

    /**
     * Checks a value.
     *
     * @throws OptionException if it is outside; NaN is
     */
    public void check(T value) {
        if (value.compareTo(least) < 0 || (most != null && value.compareTo(most) > 0)) {
            throw new OptionException(
                    option,
                    " must be at least ",
                    text(least),
                    most == null ? "" : " and at most " + text(most),
                    ", but is ",
                    text(value),
                    ": ",
                    remedy,
                    ".");
        }
    }

    /** Returns a value as it is written in a configuration: {@code 10 min}, {@code 256 mb}. */
    public static String text(Object value) {
        return value instanceof Duration duration
                ? TimeUtils.formatWithHighestUnit(duration)
                : String.valueOf(value);
    }
}
