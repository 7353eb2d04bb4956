/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;

/**
 * How an operator reads packets of TCP out of its records. Stateless; called from one thread for
 * each subtask.
 *
 * @param <T> type of the records
 */
@Experimental
public interface TcpView<T> extends Serializable {

    /**
     * Names what a flow is, such as {@code "5-tuple"}: state that was written under one scheme
     * means nothing under another, and is refused.
     */
    String scheme();

    /**
     * Whether the record is a packet of TCP with known flags; if not, it is skipped and counted.
     */
    boolean isSegment(T record);

    /**
     * The flow: the same for both directions, different for others, uniform over 64 bits. Asked for
     * records too that are not {@link #isSegment}, because it is the key of the stream.
     */
    long flow(T record);

    /**
     * Whether the lower of the flow's two endpoints sent it, in an order of endpoints that never
     * changes.
     */
    boolean fromLower(T record);

    /** The flags byte of the TCP header. */
    int flags(T record);

    /**
     * Sender and receiver, or null if they are not known. Asked for few packets: those that end a
     * flow, and those that ask for a connection, complete the handshake or refuse it.
     */
    default @Nullable Endpoints endpoints(T record) {
        return null;
    }
}
