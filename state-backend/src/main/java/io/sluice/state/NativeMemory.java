/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;

/**
 * Buffers outside the heap that the JVM's limit of direct memory does not count: Flink sets that
 * limit without managed memory, and hands managed memory out in this way too.
 *
 * <p>Freed by {@link #close}, at the moment when Flink may give the memory to somebody else: a
 * process in a container is killed if that waits for the collector. Who closes it knows that nobody
 * reads or writes the buffers any more, as that would end the process. What was never closed is
 * freed when this object is collected. Thread-safe.
 */
final class NativeMemory implements IntFunction<ByteBuffer>, AutoCloseable {

    private static final int ALIGNMENT = 4096;

    private static final Cleaner CLEANER = Cleaner.create();

    /** Of all that is not freed, in this process. */
    private static final AtomicLong ALLOCATED = new AtomicLong();

    private final Segments segments = new Segments();
    private final Cleaner.Cleanable cleanable = CLEANER.register(this, segments);

    /** What the cleaner frees; does not refer to its owner. */
    private static final class Segments implements Runnable {
        private final List<MemorySegment> owned = new ArrayList<>();
        private boolean closed;

        synchronized MemorySegment allocate(int bytes) {
            if (closed) {
                throw new IllegalStateException("the memory was given back");
            }
            MemorySegment segment = MemorySegmentFactory.allocateOffHeapUnsafeMemory(bytes);
            owned.add(segment);
            ALLOCATED.addAndGet(bytes);
            return segment;
        }

        @Override
        public synchronized void run() {
            closed = true;
            for (MemorySegment segment : owned) {
                ALLOCATED.addAndGet(-segment.size());
                segment.free();
            }
            owned.clear();
        }
    }

    /** Bytes that this process has taken and not freed. */
    static long allocatedBytes() {
        return ALLOCATED.get();
    }

    /** A buffer of that many bytes, little-endian, that begins at a multiple of 4096. */
    @Override
    public ByteBuffer apply(int bytes) {
        // An aligned slice is cut to whole multiples at both ends.
        int whole = Math.addExact(bytes, ALIGNMENT - 1) & -ALIGNMENT;
        Function<ByteBuffer, ByteBuffer> aligned =
                all ->
                        all.alignedSlice(ALIGNMENT)
                                .limit(bytes)
                                .slice()
                                .order(ByteOrder.LITTLE_ENDIAN);
        return segments.allocate(Math.addExact(whole, ALIGNMENT)).processAsByteBuffer(aligned);
    }

    /** Frees all buffers. Idempotent. */
    @Override
    public void close() {
        cleanable.clean();
    }
}
