/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.record.CounterKind;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import org.junit.jupiter.api.Test;

class PacketBytesTest {
    private static final PacketBytes PACKET =
            new PacketBytes(
                    123_456_789_012L,
                    1_520_000_000_123_456_789L,
                    PacketBytes.TCP,
                    0x12,
                    10 << 24 | 7,
                    50_000,
                    203 << 24 | 9,
                    443);

    @Test
    void theJobsReadWhatIsWritten() {
        PacketRecord record = new PacketRecord();
        assertThat(new PacketRecordCodec().decode(PACKET.toBytes(), record))
                .isEqualTo(DecodeResult.OK);
        assertThat(record.operationId()).isEqualTo(PACKET.operation());
        assertThat(record.timestampNanos()).isEqualTo(PACKET.nanos());
        assertThat(record.protocol()).isEqualTo(PacketBytes.TCP);
        assertThat(record.tcpFlags()).isEqualTo(0x12);
        assertThat(record.sourcePort()).isEqualTo(50_000);
        assertThat(record.destinationPort()).isEqualTo(443);
        assertThat(CounterKind.SOURCE.format(CounterKind.SOURCE.keyOf(record)))
                .isEqualTo(PacketBytes.text(PACKET.source()))
                .isEqualTo("10.0.0.7");
    }

    @Test
    void whatIsWrittenIsReadBack() {
        assertThat(PacketBytes.of(PACKET.toBytes())).isEqualTo(PACKET);
    }
}
