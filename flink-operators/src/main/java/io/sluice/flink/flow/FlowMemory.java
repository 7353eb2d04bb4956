/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

/**
 * The memory that several stores share, and what gives when it is used up. Not thread-safe.
 *
 * <p>The choices are those that an intrusion detection system has when a table is full (Suricata
 * calls them exception policies): none is right for all, so each refusal is counted.
 */
public final class FlowMemory {

    /** What happens to a packet that needs more memory than there is. */
    public enum WhenFull {
        /** The flow is not followed, or stays in the state it had. */
        IGNORE,

        /** Flows that were idle longest are let go, as if they had timed out. */
        EVICT,

        /** The job fails. */
        FAIL
    }

    private final long capBytes;
    private final WhenFull whenFull;
    private long usedBytes;
    private long refusals;

    /**
     * @param capBytes at least 1
     */
    public FlowMemory(long capBytes, WhenFull whenFull) {
        if (capBytes < 1) {
            throw new IllegalArgumentException("capBytes must be at least 1, got " + capBytes);
        }
        this.capBytes = capBytes;
        this.whenFull = whenFull;
    }

    /** Memory without an end. */
    public static FlowMemory unlimited() {
        return new FlowMemory(Long.MAX_VALUE, WhenFull.FAIL);
    }

    /** What happens when there is no more. */
    WhenFull whenFull() {
        return whenFull;
    }

    /** Whether {@code bytes} more fit. */
    boolean hasRoom(long bytes) {
        return bytes <= capBytes - usedBytes;
    }

    /**
     * Notes that a store needed more and did not get it.
     *
     * @throws io.sluice.filter.FilterFullException if that is to fail the job
     */
    void refuse(long bytes) {
        refusals++;
        if (whenFull == WhenFull.FAIL) {
            throw new io.sluice.filter.FilterFullException(
                    "flows need "
                            + bytes
                            + " bytes more, of "
                            + capBytes
                            + " are in use "
                            + usedBytes
                            + ": allow more memory, shorten the timeouts, or choose what gives when"
                            + " it is full");
        }
    }

    /** Notes that a store has become larger, or smaller where negative. */
    void charge(long bytes) {
        usedBytes += bytes;
    }

    /** Bytes of all stores; beyond the cap only after a restore. */
    public long usedBytes() {
        return usedBytes;
    }

    /** How often a store needed more than there was. */
    public long refusals() {
        return refusals;
    }
}
