/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.flink.flow.FlowFixture.segment;

import io.sluice.flink.flow.Traffic.Segment;
import java.util.List;

/**
 * A connection that the lower end opens and closes first, and its segments.
 *
 * @param begin time of its SYN, in milliseconds
 * @param step from each of its segments to the next, in milliseconds
 */
record Connection(long flow, long begin, long step) {

    static Connection of(long flow) {
        return new Connection(flow, 0, 10);
    }

    Connection at(long millis) {
        return new Connection(flow, millis, step);
    }

    Connection every(long millis) {
        return new Connection(flow, begin, millis);
    }

    /** From its SYN to its last ACK. */
    List<Segment> whole() {
        int ack = TcpFlags.ACK;
        return List.of(
                segment(flow, true, TcpFlags.SYN, begin),
                segment(flow, false, TcpFlags.SYN | ack, begin + step),
                segment(flow, true, ack, begin + 2 * step),
                segment(flow, false, ack, begin + 3 * step),
                segment(flow, true, TcpFlags.FIN | ack, begin + 4 * step),
                segment(flow, false, TcpFlags.FIN | ack, begin + 5 * step),
                segment(flow, true, ack, begin + 6 * step));
    }

    /** Its SYN and the answer to it. */
    List<Segment> halfOpen() {
        return whole().subList(0, 2);
    }

    /** Its handshake, and an ACK of the upper end. */
    List<Segment> opened() {
        return whole().subList(0, 4);
    }

    /** Both FINs, and the last ACK. */
    List<Segment> closed() {
        return whole().subList(4, 7);
    }

    List<Segment> withoutSyn() {
        return whole().subList(1, 7);
    }

    List<Segment> withoutHandshake() {
        return whole().subList(3, 7);
    }
}
