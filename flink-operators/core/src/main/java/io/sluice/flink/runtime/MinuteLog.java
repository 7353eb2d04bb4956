/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.annotation.Internal;

/**
 * Logs a line at most once a minute, for things that are found again and again. One object per kind
 * of line. The caller supplies the time, so tests can set it. Not thread-safe.
 */
@Internal
public final class MinuteLog {

    static final long MINUTE_MILLIS = 60_000;

    private final Consumer<String> lines;
    private boolean written;
    private long writtenAt;

    /**
     * @param lines where the lines go, such as {@code LOG::warn}
     */
    public MinuteLog(Consumer<String> lines) {
        this.lines = requireNonNull(lines, "lines");
    }

    /**
     * Writes {@code message} unless the last line was written less than a minute before or after
     * {@code nowMillis}: a clock that is set back neither silences the log nor floods it.
     *
     * @param message called only if the line is written
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
