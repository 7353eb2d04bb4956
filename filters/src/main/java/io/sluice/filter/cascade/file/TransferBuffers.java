/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Buffers for large sequential reads and writes, lent to one file at a time. Memory outside the
 * heap is freed only when its owner is collected, so buffers that each file made for itself would
 * pile up. Thread-safe.
 */
final class TransferBuffers {

    /** Pages in a buffer: 256 KiB; larger transfers are hardly faster. */
    static final int PAGES = 64;

    static final int BYTES = PAGES * PageLayout.BYTES;

    /** Buffers that are kept; what comes back beyond them is left to the collector. */
    private static final ArrayBlockingQueue<ByteBuffer> FREE = new ArrayBlockingQueue<>(64);

    private TransferBuffers() {}

    /** An empty buffer of {@link #BYTES}, little-endian, that begins at a page of memory. */
    static ByteBuffer take() {
        ByteBuffer buffer = FREE.poll();
        return buffer != null ? buffer.clear() : allocate(BYTES);
    }

    /** Takes back a buffer that is no longer used. */
    static void give(ByteBuffer buffer) {
        FREE.offer(buffer);
    }

    /** Direct and aligned, for files that are read bypassing the operating system's cache. */
    static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes + PageLayout.BYTES)
                .alignedSlice(PageLayout.BYTES)
                .limit(bytes)
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN);
    }
}
