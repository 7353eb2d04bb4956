/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.memory.Storage;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The memory of buffers: two of the full size, one that is filled and one that is written or ready.
 * When a buffer has to be frozen before it is full, for a snapshot, and none is ready, a small one
 * steps in.
 *
 * <p>Thread-safe: the owner takes, background tasks clear and give back.
 */
final class BufferPool {

    /** How many full buffers there are. */
    static final int FULL_BUFFERS = 2;

    /** Small ones are such a part of a full one. */
    private static final int SMALL_PART = 8;

    private final Storage storage;
    private final KeyGroups keyGroups;
    private final long fullBytes;
    private final long mostEntries;
    private final Deque<EntryBuffer> ready = new ArrayDeque<>();

    /** Of the buffers that exist: what they are made for, and how many are full ones. */
    private int hashBits;

    private int fullBuffers;
    private long bytes;

    BufferPool(CascadeOptions options) {
        this.storage = options.bufferStorage();
        this.keyGroups = options.keyGroups();
        this.fullBytes = options.bufferBytes() / FULL_BUFFERS;
        // A set that fits into memory whole needs no more.
        this.mostEntries = options.capacity();
    }

    /** A full, empty buffer; null if none is ready. */
    synchronized EntryBuffer take(int bits) {
        useHashBits(bits);
        EntryBuffer buffer = ready.pollFirst();
        if (buffer == null && fullBuffers < FULL_BUFFERS) {
            fullBuffers++;
            buffer = EntryBuffer.create(storage, keyGroups, bits, fullBytes, mostEntries);
            bytes += buffer.sizeInBytes();
        }
        return buffer;
    }

    /** Whether {@link #take} would give one. */
    synchronized boolean hasReady(int bits) {
        return bits != hashBits || !ready.isEmpty() || fullBuffers < FULL_BUFFERS;
    }

    /** A full buffer if one is ready, otherwise a small one. */
    synchronized EntryBuffer takeAny(int bits) {
        EntryBuffer buffer = take(bits);
        if (buffer == null) {
            long smallBytes = fullBytes / SMALL_PART;
            buffer = EntryBuffer.create(storage, keyGroups, bits, smallBytes, mostEntries);
            bytes += buffer.sizeInBytes();
            buffer.markSmall();
        }
        return buffer;
    }

    /** When the length of hashes changes, buffers are made anew. */
    private void useHashBits(int bits) {
        if (bits != hashBits) {
            hashBits = bits;
            fullBuffers = 0;
            ready.forEach(buffer -> bytes -= buffer.sizeInBytes());
            ready.clear();
        }
    }

    /** Clears a buffer and makes it ready, if there is any more use for it. */
    void give(EntryBuffer buffer) {
        synchronized (this) {
            if (buffer.isSmall() || buffer.hashBits() != hashBits) {
                bytes -= buffer.sizeInBytes();
                return;
            }
        }
        buffer.clear();
        synchronized (this) {
            if (buffer.hashBits() == hashBits) {
                ready.addLast(buffer);
            } else {
                bytes -= buffer.sizeInBytes();
            }
        }
    }

    /** Bytes of all buffers. */
    synchronized long sizeInBytes() {
        return bytes;
    }
}
