/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import org.apache.flink.annotation.Experimental;

/**
 * Both ends of a packet or of a flow, in order, and the VLANs (IEEE 802.1Q) that they are in.
 *
 * @param from the sender of the packet, or the originator of the flow
 * @param fromPort from 0 to 65535
 * @param to the other one
 * @param toPort from 0 to 65535
 * @param vlan the outermost one, from 1 to 4095; 0 if there is none
 * @param innerVlan the innermost one, if there is more than one; otherwise 0
 */
@Experimental
public record Endpoints(
        Address from, int fromPort, Address to, int toPort, int vlan, int innerVlan) {

    /** Stands for the absence of a VLAN. */
    public static final int NO_VLAN = 0;

    private static final int MAX_VLAN = (1 << 12) - 1;

    /** Checks ports and VLANs. */
    public Endpoints {
        requireNonNull(from, "from");
        requireNonNull(to, "to");
        requirePort("fromPort", fromPort);
        requirePort("toPort", toPort);
        requireVlan("vlan", vlan);
        requireVlan("innerVlan", innerVlan);
        if (vlan == NO_VLAN && innerVlan != NO_VLAN) {
            throw new IllegalArgumentException(
                    "vlan must be given if innerVlan is, which is " + innerVlan);
        }
    }

    /** Both ends in no VLAN, or in one that does not matter. */
    public Endpoints(Address from, int fromPort, Address to, int toPort) {
        this(from, fromPort, to, toPort, NO_VLAN, NO_VLAN);
    }

    private static void requireVlan(String name, int vlan) {
        if (vlan < 0 || vlan > MAX_VLAN) {
            throw new IllegalArgumentException(
                    name + " must be between 0 and " + MAX_VLAN + ", got " + vlan);
        }
    }

    private static void requirePort(String name, int port) {
        if (port < 0 || port > 0xffff) {
            throw new IllegalArgumentException(name + " must be between 0 and 65535, got " + port);
        }
    }

    /** The reverse direction. */
    public Endpoints reversed() {
        return new Endpoints(to, toPort, from, fromPort, vlan, innerVlan);
    }
}
