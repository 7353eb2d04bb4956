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
 * The watermark that an operator has reached, in the raw keyed state of each key group: after a
 * restore too, it is known which records are behind what has expired. In its persistent form one
 * envelope of kind 0x574D ("WM"), without a payload.
 *
 * <pre>
 *   parameters:  8 bytes  the watermark in milliseconds
 * </pre>
 */
final class ReachedWatermark {

    static final int KIND = 'W' << 8 | 'M';

    private static final int VERSION = 1;

    private long millis = Long.MIN_VALUE;

    long millis() {
        return millis;
    }

    void set(long watermark) {
        millis = watermark;
    }

    static KeyGroupedState.Handler<ReachedWatermark> handler() {
        return new KeyGroupedState.Handler<>() {
            @Override
            public ReachedWatermark create() {
                return new ReachedWatermark();
            }

            @Override
            public void write(ReachedWatermark reached, OutputStream out) throws IOException {
                ByteBuffer parameters =
                        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
                parameters.putLong(reached.millis());
                new FilterWriter(out, KIND, VERSION, parameters.flip(), 0).finish();
            }

            @Override
            public ReachedWatermark read(InputStream in, String source) throws IOException {
                FilterReader reader = new FilterReader(in, source, KIND, VERSION);
                ByteBuffer parameters = reader.parameters();
                if (parameters.remaining() != Long.BYTES) {
                    throw reader.corrupt(
                            "has "
                                    + parameters.remaining()
                                    + " bytes of parameters, not "
                                    + Long.BYTES);
                }
                ReachedWatermark reached = create();
                reached.set(parameters.getLong());
                reader.finish();
                return reached;
            }
        };
    }
}
