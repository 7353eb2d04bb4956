/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.flink.runtime.KeyGroupedState;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a key group whose ids are on disk has to know of event time after a restore too: which
 * records are behind what has expired. In its persistent form one envelope of kind 0x574D ("WM"),
 * without a payload.
 *
 * <pre>
 *   parameters:  8 bytes  the watermark in milliseconds
 *                8 bytes  the window that ids had
 *                8 bytes  {@link #coveredSince}
 *                8 bytes  {@link #elsewhere}
 * </pre>
 */
final class ReachedWatermark {

    static final int KIND = 'W' << 8 | 'M';

    private static final int VERSION = 1;

    private static final int PARAMETER_BYTES = 4 * Long.BYTES;

    private long millis = Long.MIN_VALUE;
    private long coveredSince = Long.MIN_VALUE;
    private long elsewhere = Long.MIN_VALUE;
    private long window;

    /** Returns the watermark; {@link Long#MIN_VALUE} if none has come. */
    long millis() {
        return millis;
    }

    /** Returns the time from which on no id has left a window that was shorter. */
    long coveredSince() {
        return coveredSince;
    }

    /** Returns the greatest time of an id that was seen elsewhere before the first watermark. */
    long elsewhere() {
        return elsewhere;
    }

    /** Takes over where the operator is. */
    void set(long watermark, long seenElsewhere) {
        millis = Math.max(millis, watermark);
        elsewhere = Math.max(elsewhere, seenElsewhere);
    }

    /** After a restore: what has left a shorter window is not covered. */
    void setWindow(long windowMillis) {
        if (windowMillis > window && millis != Long.MIN_VALUE) {
            coveredSince = Math.max(coveredSince, StreamClock.minus(millis, window));
        }
        window = windowMillis;
    }

    /** Forgets a watermark that was wrong. */
    void reset() {
        millis = Long.MIN_VALUE;
        coveredSince = Long.MIN_VALUE;
    }

    /**
     * Returns what makes, writes and reads these structures.
     *
     * @param windowMillis of the ids
     */
    static KeyGroupedState.Handler<ReachedWatermark> handler(long windowMillis) {
        return new KeyGroupedState.Handler<>() {
            @Override
            public ReachedWatermark create() {
                ReachedWatermark reached = new ReachedWatermark();
                reached.window = windowMillis;
                return reached;
            }

            @Override
            public void write(ReachedWatermark reached, OutputStream out) throws IOException {
                ByteBuffer parameters =
                        ByteBuffer.allocate(PARAMETER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
                parameters
                        .putLong(reached.millis)
                        .putLong(reached.window)
                        .putLong(reached.coveredSince)
                        .putLong(reached.elsewhere);
                new FilterWriter(out, KIND, VERSION, parameters.flip(), 0).finish();
            }

            @Override
            public ReachedWatermark read(InputStream in, String source) throws IOException {
                FilterReader reader = new FilterReader(in, source, KIND, VERSION);
                ByteBuffer parameters = reader.parameters();
                if (parameters.remaining() != PARAMETER_BYTES) {
                    throw reader.corrupt(
                            "has "
                                    + parameters.remaining()
                                    + " bytes of parameters, not "
                                    + PARAMETER_BYTES);
                }
                ReachedWatermark reached = new ReachedWatermark();
                reached.millis = parameters.getLong();
                reached.window = parameters.getLong();
                reached.coveredSince = parameters.getLong();
                reached.elsewhere = parameters.getLong();
                reader.finish();
                reached.setWindow(windowMillis);
                return reached;
            }
        };
    }
}
