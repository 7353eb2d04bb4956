/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Endpoints;
import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * What a Kafka record turned out to be: an operation, reduced to what the job needs, or bytes that
 * are not an operation ({@link #rejected()}).
 *
 * <p>Mutable, so that the source can use one instance for all operations; copy it to keep it beyond
 * the next record. Not thread-safe.
 */
@TypeInfo(IncomingTypeInfoFactory.class)
public final class Incoming {
    /** The {@link #timestampMillis()} of rejected bytes: they say nothing about event time. */
    static final long NO_TIMESTAMP = Long.MIN_VALUE;

    private long key;
    private long operationId;
    private long timestampMillis;
    private int segment;
    private boolean isIpv6;
    private long sourceHigh;
    private long sourceLow;
    private long destinationHigh;
    private long destinationLow;
    private int ports;
    @Nullable private Rejected rejected;

    Incoming() {}

    static Incoming of(Rejected rejected) {
        Incoming incoming = new Incoming();
        incoming.set(rejected);
        return incoming;
    }

    Incoming set(long key, long operationId, long timestampMillis) {
        this.key = key;
        this.operationId = operationId;
        this.timestampMillis = timestampMillis;
        this.segment = 0;
        this.rejected = null;
        return this;
    }

    /** A segment; it has no operation id, because it is not needed. */
    Incoming setSegment(long flow, long timestampMillis, int segment) {
        set(flow, 0, timestampMillis);
        this.segment = segment;
        return this;
    }

    /**
     * The ends of a segment, as {@link io.sluice.record.PacketRecord} holds addresses.
     *
     * @param ports the sender's in the high 16 bits, the receiver's in the low ones
     */
    Incoming setEnds(
            boolean isIpv6,
            long sourceHigh,
            long sourceLow,
            long destinationHigh,
            long destinationLow,
            int ports) {
        this.isIpv6 = isIpv6;
        this.sourceHigh = sourceHigh;
        this.sourceLow = sourceLow;
        this.destinationHigh = destinationHigh;
        this.destinationLow = destinationLow;
        this.ports = ports;
        return this;
    }

    Incoming set(Rejected rejected) {
        set(0, 0, NO_TIMESTAMP);
        this.rejected = rejected;
        return this;
    }

    Incoming set(Incoming other) {
        set(other.key, other.operationId, other.timestampMillis);
        segment = other.segment;
        if (segment != 0) {
            setEnds(
                    other.isIpv6,
                    other.sourceHigh,
                    other.sourceLow,
                    other.destinationHigh,
                    other.destinationLow,
                    other.ports);
        }
        this.rejected = other.rejected;
        return this;
    }

    /** The counter that the operation adds to, a key of the job's {@code CounterKind}. */
    public long counter() {
        return key;
    }

    /** The flow that the packet belongs to, if the job follows flows. */
    long flow() {
        return key;
    }

    /** What {@link Reduction#toSegment} made of the packet; 0 if it is not TCP. */
    int segment() {
        return segment;
    }

    /** Whether the addresses of a segment are IPv6; otherwise they are IPv4. */
    boolean isIpv6() {
        return isIpv6;
    }

    long sourceHigh() {
        return sourceHigh;
    }

    long sourceLow() {
        return sourceLow;
    }

    long destinationHigh() {
        return destinationHigh;
    }

    long destinationLow() {
        return destinationLow;
    }

    /** The sender's port in the high 16 bits, the receiver's in the low ones. */
    int ports() {
        return ports;
    }

    /** Sender and receiver of a segment. */
    Endpoints endpoints() {
        return new Endpoints(
                address(sourceHigh, sourceLow),
                ports >>> Short.SIZE,
                address(destinationHigh, destinationLow),
                ports & 0xffff);
    }

    private Address address(long high, long low) {
        return isIpv6 ? new Address(high, low) : Address.ofIpv4((int) low);
    }

    /** The same for every retry of an operation. */
    public long operationId() {
        return operationId;
    }

    /** Event time of the operation, milliseconds since 1970; the same for every retry. */
    public long timestampMillis() {
        return timestampMillis;
    }

    /** Null for an operation; otherwise the other fields are meaningless. */
    @Nullable
    Rejected rejected() {
        return rejected;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Incoming that
                && key == that.key
                && operationId == that.operationId
                && timestampMillis == that.timestampMillis
                && segment == that.segment
                && (segment == 0 || hasEndsOf(that))
                && Objects.equals(rejected, that.rejected);
    }

    private boolean hasEndsOf(Incoming that) {
        return isIpv6 == that.isIpv6
                && sourceHigh == that.sourceHigh
                && sourceLow == that.sourceLow
                && destinationHigh == that.destinationHigh
                && destinationLow == that.destinationLow
                && ports == that.ports;
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, operationId, timestampMillis, rejected);
    }

    @Override
    public String toString() {
        return rejected != null
                ? rejected.toString()
                : "operation " + operationId + " on " + key + " at " + timestampMillis + " ms";
    }
}
