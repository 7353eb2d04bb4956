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
 * limit without managed memory, and hands out managed memory in the same way.
 *
 * <p>{@link #close} frees the memory immediately, because Flink may then give it to somebody else:
 * if freeing waited for the garbage collector, a process in a container could be killed. The caller
 * of {@link #close} must know that nothing reads or writes the buffers any more, as that would
 * crash the process. Memory that was never closed is freed when this object is collected.
 * Thread-safe.
 */
final class NativeMemory implements IntFunction<ByteBuffer>, AutoCloseable {

    private static final int ALIGNMENT = 4096;

    private static final Cleaner CLEANER = Cleaner.create();

    /** Bytes in this process that are not freed. */
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

    /** A little-endian buffer of this many bytes that begins at a multiple of 4096. */
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
