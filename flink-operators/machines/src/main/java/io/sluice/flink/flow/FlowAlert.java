/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * Something about a flow that deserves a look.
 *
 * <p>In SQL it has the columns of the second constructor, with enums and addresses as text.
 */
@Experimental
@TypeInfo(FlowTypes.OfFlowAlert.class)
public final class FlowAlert {
    private final Kind kindValue;
    private final String kind;
    private final long flow;
    private final int flags;
    private final long millis;

    /**
     * @param kind what it is
     * @param flow the flow's id, a hash of its endpoints
     * @param flags of the packet
     * @param millis event time of that packet
     */
    public FlowAlert(Kind kind, long flow, int flags, long millis) {
        this.kindValue = requireNonNull(kind, "kind");
        this.kind = kind.name();
        this.flow = flow;
        this.flags = flags;
        this.millis = millis;
    }

    /** The same from the columns, as SQL gives them. */
    public FlowAlert(String kind, long flow, int flags, long millis) {
        this(Kind.valueOf(kind), flow, flags, millis);
    }

    public Kind kind() {
        return kindValue;
    }

    public long flow() {
        return flow;
    }

    public int flags() {
        return flags;
    }

    public long millis() {
        return millis;
    }

    /** {@link #kind} as text: the column. */
    public String getKind() {
        return kind;
    }

    /** What alerts say. */
    public enum Kind {
        /** The flow has had a FIN and a RST; reported once per flow. */
        FIN_AND_RST(0),

        /**
         * The packet's flags contradict each other ({@link TcpFlags#isIllegal}); reported for each
         * packet.
         */
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

    private Object[] values() {
        return new Object[] {kindValue, flow, flags, millis};
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FlowAlert that && Arrays.equals(values(), that.values());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values());
    }

    @Override
    public String toString() {
        return "FlowAlert" + Arrays.toString(values());
    }
}
