/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;

/**
 * Reads TCP packets out of an operator's records. Stateless; each subtask calls it from one thread.
 *
 * @param <T> type of the records
 */
@Experimental
public interface TcpView<T> extends Serializable {

    /**
     * Names what a flow is, such as {@code "5-tuple"}: state written under one scheme is
     * meaningless under another, and is refused. A view whose flows differ by their VLANs says so
     * here.
     */
    String scheme();

    /** Whether the record is a TCP packet with known flags; if not, it is skipped and counted. */
    boolean isSegment(T record);

    /**
     * The flow: the same for both directions, different for other flows, uniform over 64 bits. Also
     * called for records that are not {@link #isSegment}, because it is the key of the stream.
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
     * Sender and receiver with their VLANs, or null if they are not known. Called for few packets:
     * the ones that end a flow, and if totals are kept, those that begin one.
     */
    default @Nullable Endpoints endpoints(T record) {
        return null;
    }

    /**
     * Bytes of the packet, as they are to be counted in the totals of its flow; at least 0. Called
     * for each packet if totals are kept ({@link FlowStateMachine#totals}).
     */
    default int bytes(T record) {
        return 0;
    }
}
