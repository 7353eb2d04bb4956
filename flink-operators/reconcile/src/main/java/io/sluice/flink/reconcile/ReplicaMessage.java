/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.reconcile.message.MessageKind;
import java.util.Arrays;
import java.util.Objects;
import org.apache.flink.annotation.Experimental;

/**
 * A message on its way to the peer: {@code bytes} is what the peer must get, unchanged; the rest
 * may help to choose a topic or a key.
 *
 * <p>A row: its components are its columns in SQL, and Flink serializes it as any record.
 *
 * @param kind what it tells: the name of a {@link MessageKind}
 * @param group key group
 * @param window start of the window, ms
 * @param bytes the message, versioned and with checksums; not copied, and the caller may keep it
 */
@Experimental
@SuppressWarnings("ArrayRecordComponent") // compared by content below
public record ReplicaMessage(String kind, int group, long window, byte[] bytes) {

    public ReplicaMessage {
        requireNonNull(kind, "kind");
        requireNonNull(bytes, "bytes");
    }

    /** Returns the row of a message. */
    static ReplicaMessage of(MessageKind kind, int group, long window, byte[] bytes) {
        return new ReplicaMessage(kind.name(), group, window, bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ReplicaMessage that
                && kind.equals(that.kind)
                && group == that.group
                && window == that.window
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, group, window, Arrays.hashCode(bytes));
    }

    @Override
    public String toString() {
        return "ReplicaMessage[%s, %d, %d, %d bytes]".formatted(kind, group, window, bytes.length);
    }
}
