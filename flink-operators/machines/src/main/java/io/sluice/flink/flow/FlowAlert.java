/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import org.apache.flink.annotation.Experimental;

/**
 * Something about a flow that deserves a look.
 *
 * <p>A row: its components are its columns in SQL, and Flink serializes it as any record.
 *
 * @param kind what it is: the name of a {@link Kind}
 * @param flow the flow's id, a hash of its endpoints
 * @param flags of the packet
 * @param millis event time of that packet
 */
@Experimental
public record FlowAlert(String kind, long flow, int flags, long millis) {

    public FlowAlert {
        requireNonNull(kind, "kind");
    }

    /** Returns the row of an alert about a packet. */
    public static FlowAlert of(Kind kind, long flow, int flags, long millis) {
        return new FlowAlert(kind.name(), flow, flags, millis);
    }

    /** What alerts say. */
    public enum Kind {
        /** The flow has had a FIN and a RST; reported once per flow. */
        FIN_AND_RST,

        /**
         * The packet's flags contradict each other ({@link TcpFlags#isIllegal}); reported for each
         * packet.
         */
        ILLEGAL_FLAGS
    }
}
