/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;

/**
 * Buffers outside the heap that the JVM's limit of direct memory does not count: Flink sets that
 * limit without managed memory, and hands managed memory out in this way too.
 *
 * <p>Freed when this object is collected, not before: a merge that was given up may still write to
 * a cache when its filter is closed. Each write buffer has one of its own. Whoever uses the buffers
 * has to hold on to this object. Closed only by who could not get all buffers of a structure.
 */
final class NativeMemory implements IntFunction<ByteBuffer>, AutoCloseable {

    private static final int ALIGNMENT = 4096;

    private static final Cleaner CLEANER = Cleaner.create();

    private final Queue<MemorySegment> segments;
    private final Cleaner.Cleanable cleanable;

    NativeMemory() {
        Queue<MemorySegment> owned = new ConcurrentLinkedQueue<>();
        segments = owned;
        cleanable = CLEANER.register(this, () -> owned.forEach(MemorySegment::free));
    }

    /** A buffer of so many bytes, little-endian, that begins at a multiple of 4096. */
    @Override
    public ByteBuffer apply(int bytes) {
        // An aligned slice is cut to whole multiples at both ends.
        int whole = Math.addExact(bytes, ALIGNMENT - 1) & -ALIGNMENT;
        MemorySegment segment =
                MemorySegmentFactory.allocateOffHeapUnsafeMemory(Math.addExact(whole, ALIGNMENT));
        segments.add(segment);
        Function<ByteBuffer, ByteBuffer> aligned =
                all ->
                        all.alignedSlice(ALIGNMENT)
                                .limit(bytes)
                                .slice()
                                .order(ByteOrder.LITTLE_ENDIAN);
        return segment.processAsByteBuffer(aligned);
    }

    /** Frees all buffers at once; none of them may be in use. Idempotent. */
    @Override
    public void close() {
        cleanable.clean();
    }
}
