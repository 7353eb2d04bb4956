/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OptionRange;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import java.io.Serializable;
import java.time.Duration;
import javax.annotation.Nullable;

/**
 * Says when counters that are no longer touched are forgotten.
 *
 * @param settings of the operator: which clock, and how far ahead of it a time is believed
 * @param millis how long they must not have been touched; 0 for never
 */
record CounterExpiry(WindowSettings settings, long millis) implements Serializable {

    private static final OptionRange<Duration> RANGE =
            new OptionRange<>(
                    CounterOptions.EXPIRE_AFTER,
                    Duration.ofMillis(1),
                    WindowSettings.MAX_WINDOW,
                    "give how long a counter must not have been touched, or leave it out to keep"
                            + " all");

    CounterExpiry {
        requireNonNull(settings, "settings");
    }

    /**
     * Checks the option.
     *
     * @param after null for never
     * @throws IllegalArgumentException naming option, bound and value
     */
    static CounterExpiry of(WindowSettings settings, @Nullable Duration after) {
        if (after == null) {
            return new CounterExpiry(settings, 0);
        }
        RANGE.check(after);
        return new CounterExpiry(settings, after.toMillis());
    }

    boolean isOn() {
        return millis > 0;
    }

    boolean isEventTime() {
        return settings.timeDomain() == TimeDomain.EVENT;
    }

    /** Returns the last moment at which a counter that was touched at {@code time} is kept. */
    long end(long time) {
        return time > Long.MAX_VALUE - 1 - millis ? Long.MAX_VALUE - 1 : time + millis;
    }
}
