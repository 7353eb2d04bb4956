/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.runtime.MinuteLog;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.common.operators.ProcessingTimeService;

/**
 * Logs why exchanges refuse messages of the peer, each reason at most once a minute. Messages that
 * came twice are normal, and are not logged. Not thread-safe.
 */
final class RefusalLog {

    private final String operator;
    private final ProcessingTimeService wallClock;
    private final Consumer<String> lines;
    private final Map<Refusal, MinuteLog> logs = new EnumMap<>(Refusal.class);

    /**
     * @param operator how messages name it
     * @param lines where the lines go, such as {@code LOG::warn}
     */
    RefusalLog(String operator, ProcessingTimeService wallClock, Consumer<String> lines) {
        this.operator = operator;
        this.wallClock = wallClock;
        this.lines = lines;
    }

    /**
     * A message was refused.
     *
     * @param window that it is about
     */
    void refused(Refusal why, int group, long window) {
        if (why == Refusal.DUPLICATE) {
            return;
        }
        logs.computeIfAbsent(why, unused -> new MinuteLog(lines))
                .write(
                        wallClock.getCurrentProcessingTime(),
                        () ->
                                operator
                                        + ": a message about window "
                                        + window
                                        + " of key group "
                                        + group
                                        + " is refused ("
                                        + why
                                        + "): "
                                        + adviceFor(why));
    }

    private static String adviceFor(Refusal why) {
        return switch (why) {
            case OLD ->
                    "it was overtaken, or its window is over here. After a restart of either"
                            + " replica this passes by itself; if it does not, the peer comes later"
                            + " than ttl: raise ttl, or find out what delays the peer.";
            case NO_ROOM ->
                    "the peer has closed more windows that are open here than maxEarlyWindows or"
                            + " maxWindows lets wait. The peer repeats it; if this persists, find"
                            + " out what delays this replica's watermark, or raise both.";
            case FOREIGN ->
                    "its elements are not ids of this replica: set by and idType on both replicas"
                            + " to the same type, or to one that holds all of the other's ids.";
            default -> "see the metric " + why.metric() + ".";
        };
    }
}
