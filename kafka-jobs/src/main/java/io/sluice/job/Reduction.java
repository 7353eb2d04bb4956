/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.record.CounterKind;
import io.sluice.record.FlowKind;
import io.sluice.record.PacketRecord;
import java.io.Serializable;

/** What a job keeps of a packet record, before anything is sent over the network. */
@FunctionalInterface
interface Reduction extends Serializable {

    /** Set in a segment, so that one without flags is not 0. */
    int IS_SEGMENT = 1 << 9;

    /** Set in a segment sent by the lower of the flow's endpoints. */
    int FROM_LOWER = 1 << 8;

    /** The flags of a segment. */
    int FLAGS = 0xff;

    void reduce(PacketRecord record, Incoming into);

    /** Keeps only the counter that the operation adds to. */
    static Reduction toCounter(CounterKind kind) {
        return (record, into) ->
                into.set(kind.keyOf(record), record.operationId(), record.timestampMillis());
    }

    /** Keeps the flow and both ends, and for TCP the sending side and the flags. */
    static Reduction toSegment(FlowKind kind) {
        return (record, into) -> {
            into.setSegment(kind.flowOf(record), record.timestampMillis(), segment(kind, record));
            into.setEnds(
                    record.ipVersion() == 6,
                    record.sourceHigh(),
                    record.sourceLow(),
                    record.destinationHigh(),
                    record.destinationLow(),
                    record.sourcePort() << Short.SIZE | record.destinationPort());
        };
    }

    private static int segment(FlowKind kind, PacketRecord record) {
        if (!FlowKind.isSegment(record)) {
            return 0;
        }
        return IS_SEGMENT | (kind.isFromLower(record) ? FROM_LOWER : 0) | record.tcpFlags();
    }
}
