/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.flink.runtime.OpaqueTypeInfo;
import io.sluice.job.Rejected;
import io.sluice.record.PacketRecord;
import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * What a Kafka record turned out to be: a packet record, or bytes that are none ({@link
 * #rejected()}). Lives between the source and {@link SplitIncoming}, where event time is assigned.
 *
 * <p>Mutable, so that the source can use one instance for all packets; copy it to keep it beyond
 * the next record. Not thread-safe.
 */
public final class Incoming {
    static final TypeInformation<Incoming> TYPE =
            new OpaqueTypeInfo<>(Incoming.class, IncomingSerializer.INSTANCE);

    /** The {@link #timestampMillis()} of rejected bytes: they say nothing about event time. */
    public static final long NO_TIMESTAMP = Long.MIN_VALUE;

    private final PacketRecord packet = new PacketRecord();
    @Nullable private Rejected rejected;

    static Incoming of(Rejected rejected) {
        return new Incoming().set(rejected);
    }

    Incoming set(@Nullable Rejected newRejected) {
        rejected = newRejected;
        return this;
    }

    Incoming set(Incoming other) {
        packet.set(other.packet);
        rejected = other.rejected;
        return this;
    }

    /** Read it, or write it before the object is passed on; meaningless for rejected bytes. */
    public PacketRecord packet() {
        return packet;
    }

    /** Null for a packet. */
    @Nullable
    public Rejected rejected() {
        return rejected;
    }

    /** When the packet was captured, milliseconds since 1970. */
    public long timestampMillis() {
        return rejected == null ? packet.timestampMillis() : NO_TIMESTAMP;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Incoming that
                && Objects.equals(rejected, that.rejected)
                && (rejected != null || packet.equals(that.packet));
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(rejected == null ? packet : rejected);
    }

    @Override
    public String toString() {
        return String.valueOf(rejected == null ? packet : rejected);
    }
}
