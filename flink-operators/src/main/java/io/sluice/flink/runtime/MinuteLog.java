/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.annotation.Internal;

/**
 * Writes a line of log at most once a minute, for what is found again and again. One object per
 * kind of line. Time is the caller's, so that tests can set it. Not thread-safe.
 */
@Internal
public final class MinuteLog {

    static final long MINUTE_MILLIS = 60_000;

    private final Consumer<String> lines;
    private boolean written;
    private long writtenAt;

    /**
     * @param lines where they go, such as {@code LOG::warn}
     */
    public MinuteLog(Consumer<String> lines) {
        this.lines = requireNonNull(lines, "lines");
    }

    /**
     * Writes {@code message} unless a line was written less than a minute ago, before or after: a
     * clock that is set back neither silences the log nor opens it.
     *
     * @param message asked for only if it is written
     */
    public void write(long nowMillis, Supplier<String> message) {
        if (written && Math.abs(nowMillis - writtenAt) < MINUTE_MILLIS) {
            return;
        }
        written = true;
        writtenAt = nowMillis;
        lines.accept(message.get());
    }
}
