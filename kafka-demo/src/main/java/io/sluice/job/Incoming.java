/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * What a Kafka record turned out to be: an operation, reduced to what the job needs, or bytes that
 * are none ({@link #rejected()}).
 *
 * <p>Mutable, so that the source can use one instance for all operations; whoever keeps one beyond
 * the next record copies it. Not thread-safe.
 */
@TypeInfo(IncomingTypeInfoFactory.class)
public final class Incoming {
    /** In {@link #timestampMillis()} of what was rejected: it says nothing about event time. */
    static final long NO_TIMESTAMP = Long.MIN_VALUE;

    private long key;
    private long operationId;
    private long timestampMillis;
    private int segment;
    @Nullable private Rejected rejected;

    Incoming() {}

    static Incoming of(Rejected rejected) {
        Incoming incoming = new Incoming();
        incoming.set(rejected);
        return incoming;
    }

    Incoming set(long key, long operationId, long timestampMillis) {
        return set(key, operationId, timestampMillis, 0);
    }

    Incoming set(long key, long operationId, long timestampMillis, int segment) {
        this.key = key;
        this.operationId = operationId;
        this.timestampMillis = timestampMillis;
        this.segment = segment;
        this.rejected = null;
        return this;
    }

    Incoming set(Rejected rejected) {
        set(0, 0, NO_TIMESTAMP);
        this.rejected = rejected;
        return this;
    }

    Incoming set(Incoming other) {
        set(other.key, other.operationId, other.timestampMillis, other.segment);
        this.rejected = other.rejected;
        return this;
    }

    /** The counter that the operation adds to, a key of the job's {@code CounterKind}. */
    public long counter() {
        return key;
    }

    /** The flow that the operation is a packet of, where the job follows flows. */
    long flow() {
        return key;
    }

    /** What {@link Reduction#toSegment} made of the packet; 0 if it is none of TCP. */
    int segment() {
        return segment;
    }

    /** The same for every retry of an operation. */
    public long operationId() {
        return operationId;
    }

    /** Event time of the operation, milliseconds since 1970; the same for every retry. */
    public long timestampMillis() {
        return timestampMillis;
    }

    /** Null for an operation; otherwise the other fields mean nothing. */
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
                && Objects.equals(rejected, that.rejected);
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
