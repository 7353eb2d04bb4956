/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FlowKindTest {

    private static PacketRecord random(SplittableRandom random) {
        PacketRecord record = new PacketRecord();
        record.ipVersion = random.nextBoolean() ? 4 : 6;
        record.protocol = 6;
        record.sourceHigh = record.ipVersion == 4 ? 0 : random.nextLong();
        record.destinationHigh = record.ipVersion == 4 ? 0 : random.nextLong();
        record.sourceLow = random.nextLong(1L << 32);
        record.destinationLow = random.nextLong(1L << 32);
        record.sourcePort = random.nextInt(1 << 16);
        record.destinationPort = random.nextInt(1 << 16);
        return record;
    }

    private static PacketRecord answer(PacketRecord record) {
        PacketRecord answer = PacketRecord.copyOf(record);
        answer.sourceHigh = record.destinationHigh;
        answer.sourceLow = record.destinationLow;
        answer.sourcePort = record.destinationPort;
        answer.destinationHigh = record.sourceHigh;
        answer.destinationLow = record.sourceLow;
        answer.destinationPort = record.sourcePort;
        return answer;
    }

    @ParameterizedTest
    @EnumSource
    void bothDirectionsAreOneFlowAndComeFromDifferentSides(FlowKind kind) {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 1_000; i++) {
            PacketRecord record = random(random);
            PacketRecord answer = answer(record);
            assertThat(kind.flowOf(answer)).isEqualTo(kind.flowOf(record));
            assertThat(kind.isFromLower(answer)).isNotEqualTo(kind.isFromLower(record));
        }
    }

    @Test
    void onlyConnectionsTellPortsApart() {
        PacketRecord record = random(new SplittableRandom(5));
        PacketRecord other = PacketRecord.copyOf(record);
        other.sourcePort ^= 1;
        assertThat(FlowKind.PAIR.flowOf(other)).isEqualTo(FlowKind.PAIR.flowOf(record));
        assertThat(FlowKind.CONNECTION.flowOf(other))
                .isNotEqualTo(FlowKind.CONNECTION.flowOf(record));
    }

    @Test
    void segmentsAreOfTcpWithPortsAndFlags() {
        PacketRecord record = random(new SplittableRandom(5));
        assertThat(FlowKind.isSegment(record)).isFalse();
        record.status = PacketRecord.HAS_PORTS | PacketRecord.HAS_TCP_FLAGS;
        assertThat(FlowKind.isSegment(record)).isTrue();
        record.protocol = 17;
        assertThat(FlowKind.isSegment(record)).isFalse();
    }
}
