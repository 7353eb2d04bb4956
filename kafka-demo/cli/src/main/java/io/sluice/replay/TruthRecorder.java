/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.capture.CaptureEnd;
import io.sluice.record.CounterKind;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecord;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Adds up the truth while records are sent. Not thread-safe. */
final class TruthRecorder {
    private final CounterTotals sources = new CounterTotals();
    private final CounterTotals services = new CounterTotals();
    private final Map<String, Long> malformed = new TreeMap<>();
    private long packets;
    private long skipped;
    private long operations;
    private long firstSends;
    private long retriesWithinWindow;
    private long retriesBeyondWindow;
    private long firstTimestampMillis = Long.MAX_VALUE;
    private long lastTimestampMillis = Long.MIN_VALUE;
    private long maxOutOfOrderMillis;

    void skippedPacket() {
        packets++;
        skipped++;
    }

    void operation() {
        packets++;
        operations++;
    }

    void sent(PacketRecord operation, long timestampMillis, SendKind kind) {
        switch (kind) {
            case FIRST -> firstSends++;
            case RETRY -> retriesWithinWindow++;
            case RETRY_BEYOND_WINDOW -> retriesBeyondWindow++;
        }
        sources.add(CounterKind.SOURCE.keyOf(operation), kind, operation.wireLength());
        services.add(CounterKind.SERVICE.keyOf(operation), kind, operation.wireLength());
        firstTimestampMillis = Math.min(firstTimestampMillis, timestampMillis);
        if (timestampMillis >= lastTimestampMillis) {
            lastTimestampMillis = timestampMillis;
        } else {
            maxOutOfOrderMillis =
                    Math.max(maxOutOfOrderMillis, lastTimestampMillis - timestampMillis);
        }
    }

    void sentMalformed(DecodeResult reason) {
        malformed.merge(reason.code(), 1L, Long::sum);
    }

    long sends() {
        return firstSends + retriesWithinWindow + retriesBeyondWindow;
    }

    Truth truth(String capture, CaptureEnd end, ReplayOptions options) {
        boolean any = sends() > 0;
        TruthSummary summary =
                new TruthSummary(
                        capture,
                        end.kind().name().toLowerCase(Locale.ROOT),
                        end.message(),
                        options.loops(),
                        packets,
                        skipped,
                        options.firstOperationId(),
                        operations,
                        operations - firstSends,
                        sends(),
                        retriesWithinWindow,
                        retriesBeyondWindow,
                        malformed,
                        any ? firstTimestampMillis : 0,
                        any ? lastTimestampMillis : 0,
                        maxOutOfOrderMillis,
                        options.resumeFromRecord(),
                        options.faults());
        Map<CounterKind, CounterTotals> counters = new EnumMap<>(CounterKind.class);
        counters.put(CounterKind.SOURCE, sources);
        counters.put(CounterKind.SERVICE, services);
        return new Truth(summary, counters);
    }
}
