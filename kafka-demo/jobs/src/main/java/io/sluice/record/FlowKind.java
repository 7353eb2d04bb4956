/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import io.sluice.capture.Packet;
import java.util.Locale;

/** What the TCP packets of one flow have in common, in both directions. */
public enum FlowKind {
    /** Addresses, ports and protocol: a connection. */
    CONNECTION {
        @Override
        public long flowOf(PacketRecord record) {
            return record.flowHash();
        }

        @Override
        public boolean isFromLower(PacketRecord record) {
            return record.sourceEndpoint() <= record.destinationEndpoint();
        }
    },

    /** Only the addresses: everything that two hosts say to each other. */
    PAIR {
        @Override
        public long flowOf(PacketRecord record) {
            return record.pairHash();
        }

        @Override
        public boolean isFromLower(PacketRecord record) {
            return record.sourceHost() <= record.destinationHost();
        }
    };

    private static final int WHOLE = PacketRecord.HAS_PORTS | PacketRecord.HAS_TCP_FLAGS;

    /** Whether it is TCP, with ports and flags. */
    public static boolean isSegment(PacketRecord record) {
        return record.protocol() == Packet.TCP && (record.status() & WHOLE) == WHOLE;
    }

    /** The flow: the same for both directions, uniform over 64 bits. */
    public abstract long flowOf(PacketRecord record);

    /** Whether the lower of the two ends sent it, in an order that never changes. */
    public abstract boolean isFromLower(PacketRecord record);

    /** The name in options and in state; never changes. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }
}
