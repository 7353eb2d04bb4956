/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.memory.Words;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongFunction;

/**
 * The memory of buffers: two of the full size, one that is filled and one that is written or ready.
 * When a buffer has to be frozen before it is full, for a snapshot or because its time bucket has
 * ended, and none is ready, a small one steps in.
 *
 * <p>Thread-safe: the owner takes, background tasks clear and give back.
 */
final class BufferPool {

    /** How many full buffers there are. */
    static final int FULL_BUFFERS = 2;

    /** A small buffer has the size of a full one divided by this. */
    private static final int SMALL_PART = 8;

    /** Small ones that are kept for reuse. */
    private static final int SMALL_BUFFERS = 2;

    /** Small ones in use that are enough: they have half the memory of a full one. */
    static final int MANY_SMALL_BUFFERS = 4;

    private final LongFunction<Words> memory;
    private final boolean isReserved;
    private final KeyGroups keyGroups;
    private final KeyGroupParts parts;
    private final long fullBytes;
    private final long mostEntries;
    private final Deque<EntryBuffer> ready = new ArrayDeque<>();
    private final Deque<EntryBuffer> readySmall = new ArrayDeque<>();

    /** The bits that existing buffers are made for, and how many full ones exist. */
    private int hashBits;

    private int fullBuffers;
    private int smallBuffers;
    private long bytes;
    private boolean closed;

    BufferPool(CascadeOptions options) {
        this.memory = options.bufferMemory();
        this.isReserved = options.isBufferMemoryReserved();
        this.keyGroups = options.keyGroups();
        this.parts = options.parts();
        this.fullBytes = options.bufferBytes() / FULL_BUFFERS;
        // A set that fits into memory whole needs no more. For a part of one, capacity is a guess.
        this.mostEntries = options.isPart() ? Long.MAX_VALUE : options.capacity();
    }

    /** The least memory for buffers of these key groups. */
    static long leastBytes(KeyGroups keyGroups, KeyGroupParts parts, Eras eras) {
        return FULL_BUFFERS * EntryBuffer.leastBytes(keyGroups, parts, eras.hashBits(0));
    }

    /** A full, empty buffer; null if none is ready. */
    synchronized EntryBuffer take(int bits) {
        useHashBits(bits);
        while (fullBuffers < FULL_BUFFERS && (ready.isEmpty() || isReserved)) {
            fullBuffers++;
            ready.addLast(create(fullBytes));
        }
        return ready.pollFirst();
    }

    private EntryBuffer create(long mostBytes) {
        EntryBuffer buffer =
                EntryBuffer.create(memory, keyGroups, parts, hashBits, mostBytes, mostEntries);
        bytes += buffer.sizeInBytes();
        return buffer;
    }

    /** Whether {@link #take} would return one. */
    synchronized boolean hasReady(int bits) {
        return bits != hashBits || !ready.isEmpty() || fullBuffers < FULL_BUFFERS;
    }

    /** A full buffer if one is ready, otherwise a small one. */
    synchronized EntryBuffer takeAny(int bits) {
        EntryBuffer buffer = take(bits);
        if (buffer == null) {
            buffer = readySmall.pollFirst();
        }
        if (buffer == null) {
            buffer = create(fullBytes / SMALL_PART);
            buffer.markSmall();
            smallBuffers++;
        }
        return buffer;
    }

    /**
     * Whether no full one is ready, and enough small ones are in use that the caller should wait
     * for them.
     */
    synchronized boolean isCrowded() {
        return ready.isEmpty()
                && fullBuffers == FULL_BUFFERS
                && smallBuffers - readySmall.size() >= MANY_SMALL_BUFFERS;
    }

    /** Buffers are made anew when the length of hashes changes. */
    private void useHashBits(int bits) {
        if (bits != hashBits) {
            hashBits = bits;
            fullBuffers = 0;
            for (Deque<EntryBuffer> outdated : List.of(ready, readySmall)) {
                outdated.forEach(this::drop);
                outdated.clear();
            }
        }
    }

    /** Clears a buffer and makes it ready, if it can still be used. */
    void give(EntryBuffer buffer) {
        synchronized (this) {
            if (!isWanted(buffer)) {
                drop(buffer);
                return;
            }
        }
        buffer.clear();
        synchronized (this) {
            if (isWanted(buffer)) {
                (buffer.isSmall() ? readySmall : ready).addLast(buffer);
            } else {
                drop(buffer);
            }
        }
    }

    /** For a buffer that nothing reads any more. */
    private void drop(EntryBuffer buffer) {
        bytes -= buffer.sizeInBytes();
        smallBuffers -= buffer.isSmall() ? 1 : 0;
        buffer.release();
    }

    /**
     * Gives all memory back: ready buffers at once, each of the others when it is returned. No
     * buffer may be taken afterwards.
     */
    synchronized void close() {
        closed = true;
        for (Deque<EntryBuffer> unused : List.of(ready, readySmall)) {
            unused.forEach(this::drop);
            unused.clear();
        }
    }

    private boolean isWanted(EntryBuffer buffer) {
        return !closed
                && buffer.hashBits() == hashBits
                && !(buffer.isSmall() && readySmall.size() == SMALL_BUFFERS);
    }

    /** Bytes of all buffers. */
    synchronized long sizeInBytes() {
        return bytes;
    }
}
