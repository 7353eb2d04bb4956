/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.runtime.MinuteLog;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.flink.annotation.Internal;

/** Logs, at most once a minute, that the memory does not suffice. Not thread-safe. */
@Internal
public final class StorePressure {
    private final String operator;
    private final StoreSettings settings;
    private final StoreMemory memory;
    private final MinuteLog log;
    private long refusals;
    private long evicted;

    /**
     * @param operator how messages name the operator
     * @param log where the lines go, such as {@code LOG::warn}
     */
    public StorePressure(
            String operator, StoreSettings settings, StoreMemory memory, Consumer<String> log) {
        this.operator = requireNonNull(operator, "operator");
        this.settings = requireNonNull(settings, "settings");
        this.memory = requireNonNull(memory, "memory");
        this.log = new MinuteLog(log);
    }

    /** Must be called periodically. */
    public void check(long nowMillis) {
        long refusedNow = memory.refusals() - refusals;
        long evictedNow = memory.evicted() - evicted;
        refusals = memory.refusals();
        evicted = memory.evicted();
        if (refusedNow > 0 || evictedNow > 0) {
            log.write(nowMillis, () -> message(refusedNow, evictedNow));
        }
    }

    private String message(long refusedNow, long evictedNow) {
        return String.format(
                Locale.ROOT,
                "Operator %s: memory of %s does not suffice: since the last check %,d %s found"
                        + " no room and %,d %s were dropped before their timeout, because"
                        + " whenFull is %s. There is a flood, or more %s at one time than fit:"
                        + " raise memory or the parallelism, or shorten the timeouts.",
                operator,
                settings.memory().toHumanReadableString(),
                refusedNow,
                settings.nouns().events(),
                evictedNow,
                settings.nouns().machines(),
                settings.whenFull(),
                settings.nouns().machines());
    }
}
