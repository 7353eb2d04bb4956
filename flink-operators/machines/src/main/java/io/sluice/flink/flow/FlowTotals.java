/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;

/**
 * What the packets of a flow add up to, from its first packet to the one that ended it, or to the
 * last one so far. Packets that trail behind the end are not in it.
 *
 * @param ends the originator and the responder, by the first packet; null if {@link
 *     TcpView#endpoints} does not know. Where the beginning was not seen ({@link ConnState#OTH}),
 *     the originator is the sender of the first packet
 * @param firstMillis the earliest event time of its packets
 * @param lastMillis the latest one
 * @param originatorPackets sent by the originator
 * @param originatorBytes sent by the originator, as {@link TcpView#bytes} counts them
 * @param responderPackets sent by the responder
 * @param responderBytes sent by the responder
 */
@Experimental
public record FlowTotals(
        @Nullable Endpoints ends,
        long firstMillis,
        long lastMillis,
        long originatorPackets,
        long originatorBytes,
        long responderPackets,
        long responderBytes) {}
