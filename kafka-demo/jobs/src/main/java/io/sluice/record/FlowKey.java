/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import static java.util.Objects.requireNonNull;

import io.sluice.capture.traffic.SplitMix64;
import java.io.Serializable;

/**
 * Which flow a packet belongs to.
 *
 * @param kind what the packets of a flow have in common
 * @param vlans whether they also have their VLANs in common, the outer and the inner one. If not,
 *     tags are ignored: a capture may have different tags for the two directions of one flow, or a
 *     tag on one side of a router and none on the other
 */
public record FlowKey(FlowKind kind, boolean vlans) implements Serializable {

    public FlowKey {
        requireNonNull(kind, "kind");
    }

    /** Returns the flow: the same for both directions, uniform over 64 bits. */
    public long flowOf(PacketRecord packet) {
        long flow = kind.flowOf(packet);
        return vlans && packet.vlan != 0
                ? SplitMix64.mix(flow ^ ((long) packet.vlan << 12 | packet.innerVlan))
                : flow;
    }

    /** Whether the lower of the two ends sent it, in an order that never changes. */
    public boolean isFromLower(PacketRecord packet) {
        return kind.isFromLower(packet);
    }

    /** The name in state; never changes. */
    public String code() {
        return vlans ? kind.code() + " in a VLAN" : kind.code();
    }
}
