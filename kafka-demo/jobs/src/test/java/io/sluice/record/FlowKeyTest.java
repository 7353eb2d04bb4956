/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FlowKeyTest {

    /** Without a tag, with one, with two, and with the same two the other way round. */
    private static List<PacketRecord> taggedDifferently() {
        List<PacketRecord> packets = new ArrayList<>();
        for (int[] vlans : new int[][] {{0, 0}, {10, 0}, {20, 0}, {10, 20}, {20, 10}, {10, 10}}) {
            PacketRecord packet = TestRecords.operation(1, 0);
            packet.vlan = vlans[0];
            packet.innerVlan = vlans[1];
            packets.add(packet);
        }
        return packets;
    }

    @ParameterizedTest
    @EnumSource
    void vlansTellFlowsApartIfTheyAreAskedFor(FlowKind kind) {
        FlowKey key = new FlowKey(kind, true);
        List<PacketRecord> packets = taggedDifferently();
        assertThat(packets.stream().map(key::flowOf)).doesNotHaveDuplicates();
        assertThat(key.flowOf(packets.get(0))).isEqualTo(kind.flowOf(packets.get(0)));
        assertThat(key.code()).isNotEqualTo(new FlowKey(kind, false).code());
    }

    @ParameterizedTest
    @EnumSource
    void vlansAreIgnoredOtherwise(FlowKind kind) {
        FlowKey key = new FlowKey(kind, false);
        assertThat(taggedDifferently().stream().map(key::flowOf).distinct()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void theAnswerInTheSameVlansIsOfTheSameFlow(FlowKind kind) {
        FlowKey key = new FlowKey(kind, true);
        PacketRecord there = taggedDifferently().get(3);
        PacketRecord back = PacketRecord.copyOf(there);
        back.sourceLow = there.destinationLow;
        back.sourcePort = there.destinationPort;
        back.destinationLow = there.sourceLow;
        back.destinationPort = there.sourcePort;
        assertThat(key.flowOf(back)).isEqualTo(key.flowOf(there));
        assertThat(key.isFromLower(back)).isNotEqualTo(key.isFromLower(there));
    }
}
