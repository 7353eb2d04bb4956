/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import org.apache.flink.annotation.Experimental;

/**
 * Both ends of a packet or of a flow, in order.
 *
 * @param from the sender of the packet, or the originator of the flow
 * @param fromPort from 0 to 65535
 * @param to the other one
 * @param toPort from 0 to 65535
 */
@Experimental
public record Endpoints(Address from, int fromPort, Address to, int toPort) {

    /** Checks the ports. */
    public Endpoints {
        requireNonNull(from, "from");
        requireNonNull(to, "to");
        requirePort("fromPort", fromPort);
        requirePort("toPort", toPort);
    }

    private static void requirePort(String name, int port) {
        if (port < 0 || port > 0xffff) {
            throw new IllegalArgumentException(name + " must be between 0 and 65535, got " + port);
        }
    }

    /** The reverse direction. */
    public Endpoints reversed() {
        return new Endpoints(to, toPort, from, fromPort);
    }
}
