/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * Something that became of an attempt to connect. There is one {@link Kind#STARTED} of each, and
 * then at most one of the others. Nothing is said of attempts that time out, since an approximate
 * store could not say whose they are: whoever counts takes an attempt of which nothing more was
 * heard for unanswered.
 *
 * @param kind what became of it
 * @param source who asked for the connection
 * @param target who was asked
 * @param port of the target, from 0 to 65535
 * @param millis event time of the packet that says so
 */
@TypeInfo(FlowTypes.OfAttempt.class)
public record Attempt(Kind kind, Address source, Address target, int port, long millis) {

    /** What became of an attempt. */
    public enum Kind {
        /** A SYN asks for a connection, for the first time. */
        STARTED(0),

        /** The source completed the handshake. */
        COMPLETED(1),

        /** The target answered by RST. */
        REFUSED(2);

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
