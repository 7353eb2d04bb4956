/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sluice.capture.TestSeed;
import io.sluice.capture.traffic.SplitMix64;
import io.sluice.filter.format.GoldenFile;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacketRecordCodecTest {
    private final PacketRecordCodec codec = new PacketRecordCodec();
    private final SplitMix64 random = new SplitMix64(TestSeed.SEED);

    @Test
    void whatIsWrittenIsRead() {
        PacketRecord into = new PacketRecord();
        for (int i = 0; i < 20_000; i++) {
            PacketRecord record = TestRecords.next(random);
            byte[] target = new byte[100];
            int offset = random.nextInt(20);

            int length = codec.encode(record, target, offset);

            assertThat(length).isEqualTo(PacketRecordCodec.encodedLength(record));
            assertThat(codec.decode(target, offset, length, into)).isEqualTo(DecodeResult.OK);
            assertThat(into).as(TestSeed.reproduce()).isEqualTo(record);
        }
    }

    @Test
    void theBytesNeverChange() {
        PacketRecord record = new PacketRecord();
        record.operationId = 0x0102030405060708L;
        record.timestampNanos = 1_521_118_800_000_000_001L;
        record.protocol = 6;
        record.tcpFlags = 0x12;
        record.status = PacketRecord.HAS_PORTS | PacketRecord.HAS_TCP_FLAGS;
        record.sourceLow = 0xC0000201L;
        record.destinationLow = 0xC6336402L;
        record.sourcePort = 443;
        record.destinationPort = 50000;
        record.wireLength = 1500;
        record.vlan = 0x123;
        record.innerVlan = 0x456;
        String expected =
                "534c500230040612"
                        + "0807060504030201"
                        + "01202b477d191c15"
                        + "dc050000bb0150c3"
                        + "0c236145"
                        + "c0000201c6336402"
                        + "cd0fe9ed";

        assertThat(HexFormat.of().formatHex(encoded(record))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {GoldenOperations.IPV4, GoldenOperations.IPV6})
    void theGoldenOperationsAreReadAndWritten(String name) {
        GoldenFile.assertStillWritten(
                "operations/" + name, encoded(GoldenOperations.operation(name)));
        byte[] golden = GoldenFile.read("operations/" + name);
        PacketRecord read = new PacketRecord();

        assertThat(codec.decode(golden, read)).isEqualTo(DecodeResult.OK);
        assertThat(read).isEqualTo(GoldenOperations.operation(name));
        assertThat(encoded(read)).isEqualTo(golden);
    }

    @Test
    void everyCutIsRefused() {
        PacketRecord into = new PacketRecord();
        for (int round = 0; round < 50; round++) {
            byte[] bytes = encoded(TestRecords.next(random));
            for (int length = 0; length < bytes.length; length++) {
                DecodeResult result = codec.decode(Arrays.copyOf(bytes, length), into);
                assertThat(result)
                        .isEqualTo(
                                length < RecordLayout.BYTES_4
                                        ? DecodeResult.TOO_SHORT
                                        : DecodeResult.WRONG_LENGTH);
            }
            assertThat(codec.decode(Arrays.copyOf(bytes, bytes.length + 1), into))
                    .isEqualTo(DecodeResult.WRONG_LENGTH);
        }
        assertThat(into).isEqualTo(new PacketRecord());
    }

    @Test
    void everyFlippedBitIsRefusedAndChangesNothing() {
        PacketRecord into = new PacketRecord();
        for (int round = 0; round < 20; round++) {
            byte[] bytes = encoded(TestRecords.next(random));
            for (int bit = 0; bit < 8 * bytes.length; bit++) {
                bytes[bit / 8] ^= (byte) (1 << (bit % 8));
                assertThat(codec.decode(bytes, into).isOk()).as("bit %d", bit).isFalse();
                bytes[bit / 8] ^= (byte) (1 << (bit % 8));
            }
        }
        assertThat(into).isEqualTo(new PacketRecord());
    }

    @Test
    void reasonsTellForeignBytesApart() {
        PacketRecord into = new PacketRecord();
        byte[] newer = encoded(TestRecords.next(random));
        newer[RecordLayout.VERSION] = 3;
        byte[] older = encoded(TestRecords.next(random));
        older[RecordLayout.VERSION] = 1;
        byte[] strange = encoded(TestRecords.next(random));
        strange[0] = 'X';
        PacketRecord bad = TestRecords.next(random);
        bad.wireLength = -1;
        PacketRecord untagged = TestRecords.next(random);
        untagged.vlan = 0;
        untagged.innerVlan = 1;

        assertThat(codec.decode(null, into)).isEqualTo(DecodeResult.TOO_SHORT);
        assertThat(codec.decode(newer, into)).isEqualTo(DecodeResult.UNKNOWN_VERSION);
        assertThat(codec.decode(older, into)).isEqualTo(DecodeResult.UNKNOWN_VERSION);
        assertThat(codec.decode(strange, into)).isEqualTo(DecodeResult.FOREIGN);
        assertThat(codec.decode(encoded(bad), into)).isEqualTo(DecodeResult.INVALID_FIELD);
        assertThat(codec.decode(encoded(untagged), into)).isEqualTo(DecodeResult.INVALID_FIELD);
    }

    @Test
    void nothingIsAllocatedPerRecord() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        PacketRecord record = TestRecords.next(random);
        PacketRecord into = new PacketRecord();
        byte[] bytes = encoded(record);
        // The first call links the VarHandles.
        int ok = codec.decode(bytes, into) == DecodeResult.OK ? 1 : 0;
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100_000; i++) {
            codec.encode(record, bytes, 0);
            ok += codec.decode(bytes, into) == DecodeResult.OK ? 1 : 0;
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(ok).isEqualTo(100_001);
        assertThat(allocated).as("bytes for 100 000 records").isLessThan(10_000);
    }

    @Test
    void bothDirectionsOfAFlowHaveOneHash() {
        for (int i = 0; i < 1000; i++) {
            PacketRecord there = TestRecords.next(random);
            PacketRecord back = PacketRecord.copyOf(there);
            back.sourceHigh = there.destinationHigh;
            back.sourceLow = there.destinationLow;
            back.sourcePort = there.destinationPort;
            back.destinationHigh = there.sourceHigh;
            back.destinationLow = there.sourceLow;
            back.destinationPort = there.sourcePort;
            PacketRecord other = PacketRecord.copyOf(there);
            other.sourcePort ^= 1;

            assertThat(back.flowHash()).as(TestSeed.reproduce()).isEqualTo(there.flowHash());
            assertThat(other.flowHash()).as(TestSeed.reproduce()).isNotEqualTo(there.flowHash());
        }
    }

    @Test
    void counterKeysAreReadableAgain() {
        PacketRecord record = TestRecords.operation(3, 0);
        record.sourceLow = 0xC0000201L;
        PacketRecord six = PacketRecord.copyOf(record);
        six.ipVersion = 6;
        six.sourceHigh = 0x20010DB800000001L;
        PacketRecord loopback = PacketRecord.copyOf(six);
        loopback.sourceHigh = 0;

        assertThat(text(CounterKind.SOURCE, record)).isEqualTo("192.0.2.1");
        assertThat(text(CounterKind.SOURCE, six)).isEqualTo("2001:db8:0:1::/64");
        assertThat(CounterKind.SOURCE.keyOf(loopback)).isGreaterThan(0xFFFFFFFFL);
        assertThat(text(CounterKind.SERVICE, record)).isEqualTo("tcp/443");
        assertThat(CounterKind.ofCode("service")).isEqualTo(CounterKind.SERVICE);
    }

    private static String text(CounterKind kind, PacketRecord record) {
        return kind.format(kind.keyOf(record));
    }

    private static byte[] encoded(PacketRecord record) {
        return GoldenOperations.encoded(record);
    }
}
