/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

/**
 * A cap on the memory of all filters of one subtask. Every filter reserves here before it allocates
 * and releases what it gives up. Only a restore may exceed the cap (see {@link
 * WindowedFilter#readFrom}): what is inside the window is not thrown away because the cap shrank;
 * nothing new is granted until enough was forgotten. Not thread-safe, like the filters that share
 * it.
 */
public final class MemoryBudget {

    private final long maxBytes;
    private long reserved;

    /**
     * @param maxBytes the cap in bytes, at least 1
     */
    public MemoryBudget(long maxBytes) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException(
                    "maxBytes must be at least 1, got " + maxBytes + ": give the filters memory");
        }
        this.maxBytes = maxBytes;
    }

    /** Reserves {@code bytes} if that keeps the sum within the cap; otherwise changes nothing. */
    public boolean tryReserve(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes must not be negative, got " + bytes);
        }
        if (bytes > available()) {
            return false;
        }
        reserved += bytes;
        return true;
    }

    /** Gives {@code bytes} back. */
    public void release(long bytes) {
        if (bytes < 0 || bytes > reserved) {
            throw new IllegalArgumentException(
                    "bytes must be between 0 and the " + reserved + " reserved, got " + bytes);
        }
        reserved -= bytes;
    }

    /** Bytes reserved now. */
    public long reserved() {
        return reserved;
    }

    /** The cap in bytes. */
    public long maxBytes() {
        return maxBytes;
    }

    /** Bytes that can still be reserved, at least 0. */
    public long available() {
        return Math.max(0, maxBytes - reserved);
    }

    /** Reserves even beyond the cap, for bytes that hold ids inside the window. */
    void reserveRestored(long bytes) {
        reserved = Math.addExact(reserved, bytes);
    }
}
