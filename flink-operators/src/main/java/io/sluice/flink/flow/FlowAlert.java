/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * Something about a flow that deserves a look.
 *
 * @param kind what it is
 * @param flow the flow's id, a hash of its endpoints
 * @param flags of the packet at hand
 * @param millis event time of that packet
 */
@TypeInfo(FlowTypes.OfFlowAlert.class)
public record FlowAlert(Kind kind, long flow, int flags, long millis) {

    /** What alerts say. */
    public enum Kind {
        /** The flow has had a FIN and a RST; once a flow. */
        FIN_AND_RST(0),

        /** The packet's flags contradict each other ({@link TcpFlags#isIllegal}); each packet. */
        ILLEGAL_FLAGS(1);

        private static final Kind[] ALL = values();

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        /** Persistent number; never changes its meaning. */
        public int code() {
            return code;
        }

        /**
         * The kind with this {@link #code}.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Kind ofCode(int code) {
            return Codes.find(ALL, code);
        }
    }
}
