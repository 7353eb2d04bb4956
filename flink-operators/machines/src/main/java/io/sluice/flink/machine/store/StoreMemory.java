/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import org.apache.flink.annotation.Internal;

/**
 * The memory that the stores of one subtask share, and what gives when it is used up. Half of the
 * cap is divided equally among the stores, the other half goes to whichever store asks first: a
 * store with more machines than the others finds memory, and none can be starved by them. Not
 * thread-safe.
 *
 * <p>Two things may exceed the cap, and then nothing more is granted until enough was freed: a
 * restore, because nothing that is held is thrown away; and the smallest table of each store,
 * because every machine must find one.
 *
 * <p>The policies are those of an intrusion detection system whose table is full (Suricata calls
 * them exception policies): none is right for everyone, so each refusal is counted.
 */
@Internal
public final class StoreMemory {

    private final long capBytes;
    private final WhenFull whenFull;
    private final int stores;

    /** Bytes that each store can always have. */
    private final long guaranteed;

    /** Bytes that all stores together may have beyond their guaranteed parts. */
    private final long common;

    private long usedBytes;
    private long usedOfCommon;
    private long refusals;
    private long evicted;

    /**
     * Memory of a single store.
     *
     * @param capBytes at least 1
     */
    public StoreMemory(long capBytes, WhenFull whenFull) {
        this(capBytes, whenFull, 1);
    }

    /**
     * @param capBytes at least 1
     * @param stores the most stores that share it, at least 1
     */
    public StoreMemory(long capBytes, WhenFull whenFull, int stores) {
        if (capBytes < 1) {
            throw new IllegalArgumentException("capBytes must be at least 1, got " + capBytes);
        }
        if (stores < 1) {
            throw new IllegalArgumentException("stores must be at least 1, got " + stores);
        }
        this.capBytes = capBytes;
        this.whenFull = whenFull;
        this.stores = stores;
        this.guaranteed = stores == 1 ? 0 : capBytes / 2 / stores;
        this.common = capBytes - guaranteed * stores;
    }

    /** Unlimited memory. */
    public static StoreMemory unlimited() {
        return new StoreMemory(Long.MAX_VALUE, WhenFull.FAIL);
    }

    /** One store's part, empty at first. */
    public Claim claim() {
        return new Claim();
    }

    /** Bytes of all stores; may exceed the cap, see above. */
    public long usedBytes() {
        return usedBytes;
    }

    /** How often a store needed more than was available. */
    public long refusals() {
        return refusals;
    }

    /** Machines that were dropped for lack of room. */
    public long evicted() {
        return evicted;
    }

    /** The memory of one store. */
    public final class Claim {
        private long held;

        private Claim() {}

        /** What happens when it is used up. */
        WhenFull whenFull() {
            return whenFull;
        }

        /** An equal part of the cap, in bytes. */
        long share() {
            return capBytes / stores;
        }

        /** Whether another {@code bytes} fit. */
        public boolean hasRoom(long bytes) {
            long mine = Math.max(0, guaranteed - held) + Math.max(0, common - usedOfCommon);
            return bytes <= Math.min(mine, capBytes - usedBytes);
        }

        /** Notes that the store has become larger, or smaller where negative. */
        public void charge(long bytes) {
            usedOfCommon += beyond(held + bytes) - beyond(held);
            held += bytes;
            usedBytes += bytes;
        }

        private long beyond(long bytes) {
            return Math.max(0, bytes - guaranteed);
        }

        /** Notes that machines were dropped for lack of room. */
        void countEvicted(long machines) {
            evicted += machines;
        }

        /**
         * Notes that the store needed more and did not get it.
         *
         * @throws io.sluice.filter.FilterFullException if that is to fail the job
         */
        public void refuse(long bytes) {
            refusals++;
            if (whenFull == WhenFull.FAIL) {
                throw new io.sluice.filter.FilterFullException(
                        "the store needs "
                                + bytes
                                + " bytes more, of "
                                + capBytes
                                + " are in use "
                                + usedBytes
                                + ": allow more memory, shorten the timeouts, or choose what"
                                + " gives when it is full");
            }
        }
    }
}
