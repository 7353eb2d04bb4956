/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * An event of an attempt to connect. Each attempt gives one {@link Kind#STARTED}, and then at most
 * one of the others, or {@link Kind#CLAIMED} followed by {@link Kind#COMPLETED}. Timeouts are not
 * reported, since an approximate store could not say whose they are: an attempt with no further
 * event counts as unanswered.
 *
 * <p>In SQL it has the columns of the second constructor, with enums and addresses as text.
 */
@Experimental
@TypeInfo(FlowTypes.OfAttempt.class)
public final class Attempt {
    private final Kind kindValue;
    private final String kind;
    private final Address sourceValue;
    private final Address targetValue;
    private final int port;
    private final long millis;

    /** Made when the column is first read; every thread would make the same text. */
    private @Nullable String source;

    /** Made when the column is first read; every thread would make the same text. */
    private @Nullable String target;

    /**
     * @param kind what became of it
     * @param source the host that asked for the connection
     * @param target the host that was asked
     * @param port of the target, from 0 to 65535
     * @param millis event time of the packet that shows it
     */
    public Attempt(Kind kind, Address source, Address target, int port, long millis) {
        this.kindValue = requireNonNull(kind, "kind");
        this.kind = kind.name();
        this.sourceValue = requireNonNull(source, "source");
        this.targetValue = requireNonNull(target, "target");
        this.port = port;
        this.millis = millis;
    }

    /** The same from the columns, as SQL gives them. */
    public Attempt(String kind, String source, String target, int port, long millis) {
        this(Kind.valueOf(kind), Address.parse(source), Address.parse(target), port, millis);
    }

    public Kind kind() {
        return kindValue;
    }

    public Address source() {
        return sourceValue;
    }

    public Address target() {
        return targetValue;
    }

    public int port() {
        return port;
    }

    public long millis() {
        return millis;
    }

    /** {@link #kind} as text: the column. */
    public String getKind() {
        return kind;
    }

    /** {@link #source} as text: the column. */
    public String getSource() {
        if (source == null) {
            source = sourceValue.toString();
        }
        return source;
    }

    /** {@link #target} as text: the column. */
    public String getTarget() {
        if (target == null) {
            target = targetValue.toString();
        }
        return target;
    }

    /** What became of an attempt. */
    public enum Kind {
        /** A SYN asks for a connection, for the first time. */
        STARTED(0),

        /** The source completed the handshake, and packets of both sides were seen. */
        COMPLETED(1),

        /** The target answered by RST. */
        REFUSED(2),

        /**
         * The source went on as if the handshake were completed, but no packet of the target was
         * seen. Anybody can send that from a made-up address. {@link #COMPLETED} may follow.
         */
        CLAIMED(3);

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
        return new Object[] {kindValue, sourceValue, targetValue, port, millis};
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Attempt that && Arrays.equals(values(), that.values());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values());
    }

    @Override
    public String toString() {
        return "Attempt" + Arrays.toString(values());
    }
}
