/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.schedules;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

/** Memory that knows how much of it is in use. */
public final class CountedMemory {

    private final AtomicLong bytes = new AtomicLong();

    /** Buffers that are freed together. */
    public IntFunction<ByteBuffer> piece() {
        return new Piece();
    }

    /** Bytes that were taken and not freed. */
    public long bytes() {
        return bytes.get();
    }

    private final class Piece implements IntFunction<ByteBuffer>, AutoCloseable {
        private long taken;

        @Override
        public ByteBuffer apply(int length) {
            taken += length;
            bytes.addAndGet(length);
            return ByteBuffer.allocateDirect(length);
        }

        @Override
        public void close() {
            bytes.addAndGet(-taken);
            taken = 0;
        }
    }
}
