/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.reconcile.message.MessageKind;
import java.util.Arrays;
import java.util.Objects;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * A message on its way to the peer: {@code bytes} is what the peer must get, unchanged; the rest
 * may help to choose a topic or a key.
 *
 * <p>In SQL it has the columns of the second constructor, with the kind as text.
 */
@Experimental
@TypeInfo(ReconcileTypes.OfReplicaMessage.class)
public final class ReplicaMessage {

    private final MessageKind kindValue;
    private final String kind;
    private final int group;
    private final long window;
    private final byte[] bytes;

    /**
     * @param kind what it tells
     * @param group key group
     * @param window start of the window, ms
     * @param bytes the message, versioned and with checksums; not copied
     */
    public ReplicaMessage(MessageKind kind, int group, long window, byte[] bytes) {
        this.kindValue = requireNonNull(kind, "kind");
        this.kind = kind.name();
        this.group = group;
        this.window = window;
        this.bytes = requireNonNull(bytes, "bytes");
    }

    /** The same from the columns, as SQL gives them. */
    public ReplicaMessage(String kind, int group, long window, byte[] bytes) {
        this(MessageKind.valueOf(kind), group, window, bytes);
    }

    public MessageKind kind() {
        return kindValue;
    }

    public int group() {
        return group;
    }

    public long window() {
        return window;
    }

    /** Not copied; the caller may keep it. */
    public byte[] bytes() {
        return bytes;
    }

    /** {@link #kind} as text: the column. */
    public String getKind() {
        return kind;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ReplicaMessage that
                && kindValue == that.kindValue
                && group == that.group
                && window == that.window
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kindValue, group, window, Arrays.hashCode(bytes));
    }

    @Override
    public String toString() {
        return "ReplicaMessage[%s, %d, %d, %d bytes]".formatted(kind, group, window, bytes.length);
    }
}
