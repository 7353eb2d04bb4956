/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.record.CounterKind;
import io.sluice.record.FlowKey;
import io.sluice.record.PacketRecord;
import java.io.Serializable;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * What a job keeps of a packet record, before anything is sent over the network.
 *
 * @param <T> type of what is kept; mutable, so that one instance does for all packets
 */
public interface Reduction<T> extends Serializable {

    TypeInformation<T> type();

    T newResult();

    void reduce(PacketRecord packet, T into);

    /** Keeps only the counter that the operation adds to. */
    static Reduction<Operation> toCounter(CounterKind kind) {
        return new ToOperation(kind);
    }

    /** Keeps the flow, and of TCP the flags, both ends with their VLANs, and the sending side. */
    static Reduction<TcpSegment> toSegment(FlowKey key) {
        return new ToSegment(key);
    }

    /** See {@link #toCounter}. */
    record ToOperation(CounterKind kind) implements Reduction<Operation> {
        @Override
        public TypeInformation<Operation> type() {
            return Operation.TYPE;
        }

        @Override
        public Operation newResult() {
            return new Operation();
        }

        @Override
        public void reduce(PacketRecord packet, Operation into) {
            into.set(kind.keyOf(packet), packet.operationId());
        }
    }

    /** See {@link #toSegment}. */
    record ToSegment(FlowKey key) implements Reduction<TcpSegment> {
        @Override
        public TypeInformation<TcpSegment> type() {
            return TcpSegment.TYPE;
        }

        @Override
        public TcpSegment newResult() {
            return new TcpSegment();
        }

        @Override
        public void reduce(PacketRecord packet, TcpSegment into) {
            into.set(key, packet);
        }
    }
}
