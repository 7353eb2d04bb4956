/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

/**
 * A cap on the memory of all filters of one subtask. Every filter reserves memory here before it
 * allocates, and releases what it gives up.
 *
 * <p>Where several filters share it, half of the cap is theirs in equal parts, and the other half
 * is first come, first served: a filter that gets more ids than the others finds memory, and no
 * filter can be starved.
 *
 * <p>Two things may exceed the cap: a restore (see {@link ForgetfulFilter#readFrom}), because what
 * is inside the window is not thrown away just because the cap shrank, with the small array that
 * takes over from one that is too large; and the smallest array of a new filter, because every id
 * needs one. Until enough was forgotten, a filter then is granted its equal part only, which
 * exceeds the cap by at most half of it. Not thread-safe, like the filters that share it.
 */
public final class MemoryBudget {

    private final long maxBytes;
    private final int filters;

    /** Bytes that each filter can always have. */
    private final long guaranteed;

    /** Bytes that all filters and other users together may have beyond what is guaranteed. */
    private final long common;

    private long reserved;
    private long commonReserved;

    /** Filters that hold something. */
    private int claims;

    /**
     * For one filter.
     *
     * @param maxBytes the cap in bytes, at least 1
     */
    public MemoryBudget(long maxBytes) {
        this(maxBytes, 1);
    }

    /**
     * @param maxBytes the cap in bytes, at least 1
     * @param filters how many filters share it at most, at least 1
     */
    public MemoryBudget(long maxBytes, int filters) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException(
                    "maxBytes must be at least 1, got " + maxBytes + ": give the filters memory");
        }
        if (filters < 1) {
            throw new IllegalArgumentException("filters must be at least 1, got " + filters);
        }
        this.maxBytes = maxBytes;
        this.filters = filters;
        this.guaranteed = filters == 1 ? 0 : maxBytes / 2 / filters;
        this.common = maxBytes - guaranteed * filters;
    }

    /**
     * Reserves {@code bytes} of the common part, for something other than the filters, if that
     * keeps the sum within the cap; otherwise changes nothing.
     */
    public boolean tryReserve(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes must not be negative, got " + bytes);
        }
        if (bytes > available() || bytes > common - commonReserved) {
            return false;
        }
        reserved += bytes;
        commonReserved += bytes;
        return true;
    }

    /** Gives back {@code bytes} that {@link #tryReserve} granted. */
    public void release(long bytes) {
        if (bytes < 0 || bytes > commonReserved) {
            throw new IllegalArgumentException(
                    "bytes must be between 0 and the "
                            + commonReserved
                            + " reserved, got "
                            + bytes);
        }
        reserved -= bytes;
        commonReserved -= bytes;
    }

    /** Bytes reserved now. */
    public long reserved() {
        return reserved;
    }

    /** The cap in bytes. */
    public long maxBytes() {
        return maxBytes;
    }

    /** Bytes below the cap, at least 0. */
    public long available() {
        return Math.max(0, maxBytes - reserved);
    }

    /** One filter's share, empty at first. */
    Claim claim() {
        return new Claim();
    }

    /** What one filter has reserved. */
    final class Claim {
        private long held;

        private Claim() {}

        /** Reserves {@code bytes} if the budget grants them; otherwise changes nothing. */
        boolean tryReserve(long bytes) {
            if (bytes > available()) {
                return false;
            }
            reserve(bytes);
            return true;
        }

        /** Reserves {@code bytes}, beyond the cap if need be. */
        void reserve(long bytes) {
            commonReserved += beyond(held + bytes) - beyond(held);
            claims += held == 0 && bytes > 0 ? 1 : 0;
            held = Math.addExact(held, bytes);
            reserved = Math.addExact(reserved, bytes);
        }

        void release(long bytes) {
            if (bytes < 0 || bytes > held) {
                throw new IllegalArgumentException(
                        "bytes must be between 0 and the " + held + " reserved, got " + bytes);
            }
            commonReserved -= beyond(held) - beyond(held - bytes);
            claims -= held == bytes && bytes > 0 ? 1 : 0;
            held -= bytes;
            reserved -= bytes;
        }

        /** The cap of all filters together. */
        long maxBytes() {
            return maxBytes;
        }

        /** Whether more is reserved than the cap. */
        boolean isExceeded() {
            return reserved > maxBytes;
        }

        /** Bytes of the cap for each of as many filters as may share it, if they are equal. */
        long fairPart() {
            return maxBytes / filters;
        }

        /** Bytes of the cap for each of the filters that hold something, if they are equal. */
        long equalPart() {
            return maxBytes / Math.max(1, claims);
        }

        /**
         * Bytes that could be reserved now. What is left of the guaranteed part is granted even
         * where a restore exceeded the cap: the filters that were restored large would take it from
         * the small ones, which would forget ids for which there was memory.
         */
        long available() {
            long mine = Math.max(0, guaranteed - held);
            long shared = Math.max(0, common - commonReserved);
            return Math.max(mine, Math.min(mine + shared, MemoryBudget.this.available()));
        }

        private long beyond(long bytes) {
            return Math.max(0, bytes - guaranteed);
        }
    }
}
