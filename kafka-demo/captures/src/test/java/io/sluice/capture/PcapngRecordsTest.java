/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.capture.traffic.LoadGeneratorTest;
import io.sluice.capture.traffic.SplitMix64;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PcapngRecordsTest {
    private static final int MICROS = 6;
    private static final int NANOS = 9;
    private static final int BINARY_20 = 0x80 | 20;
    private static final byte[] SYN = TestPackets.tcp4(50000, 443, Packet.SYN);
    private static final byte[] ACK = TestPackets.tcp4(50000, 443, Packet.ACK);

    private record Read(List<String> packets, CaptureEnd end, CaptureTally tally) {}

    @ParameterizedTest
    @ValueSource(strings = {"LITTLE_ENDIAN", "BIG_ENDIAN"})
    void blocksOfBothByteOrdersAreRead(String order) throws IOException {
        PcapngBytes file = everyBlock(orderOf(order), new PcapngBytes());

        Read read = read(file.bytes());

        assertThat(read.packets())
                .containsExactly(
                        "1 1500000.000000000 tcp 2",
                        "101 3.000000007 tcp 16",
                        "101 13.500000000 tcp 2",
                        "1 13.500000000 tcp 16",
                        "1 4.000000000 tcp 2");
        assertThat(read.end().isClean()).isTrue();
        assertThat(read.tally().exceptions()).isEqualTo(Map.of("borrowed-time", 1L));
    }

    private static PcapngBytes everyBlock(ByteOrder order, PcapngBytes file) {
        file.section(order);
        return file.description(LinkType.ETHERNET, 0)
                .description(LinkType.RAW, 65535, file.timing(NANOS, 0))
                .description(LinkType.RAW, 65535, file.timing(BINARY_20, 10))
                .other(PcapngBytes.NAME_RESOLUTION, "a name")
                .enhanced(0, 1_500_000_000_000L, TestPackets.ethernet(SYN))
                .other(PcapngBytes.DECRYPTION_SECRETS, "secret")
                .enhanced(1, 3_000_000_007L, ACK)
                .other(PcapngBytes.CUSTOM, "x".repeat(3_000_000))
                .enhanced(2, 7L << 19, SYN)
                .simple(14 + ACK.length, TestPackets.ethernet(ACK))
                .obsolete(0, 4_000_000L, TestPackets.ethernet(SYN))
                .other(PcapngBytes.STATISTICS, "");
    }

    private static ByteOrder orderOf(String name) {
        return name.equals("BIG_ENDIAN") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    @Test
    void aNewSectionHasItsOwnByteOrderAndInterfaces() throws IOException {
        PcapngBytes file = new PcapngBytes().section(ByteOrder.LITTLE_ENDIAN);
        file.description(LinkType.RAW, 0).enhanced(0, 1_000_000, SYN);
        file.section(ByteOrder.BIG_ENDIAN);
        file.enhanced(0, 2_000_000, SYN)
                .description(LinkType.ETHERNET, 0)
                .enhanced(0, 3_000_000, TestPackets.ethernet(ACK));

        Read read = read(file.bytes());

        assertThat(read.packets()).containsExactly("101 1.000000000 tcp 2", "1 3.000000000 tcp 16");
        assertThat(read.tally().count(LostRecord.UNKNOWN_INTERFACE)).isEqualTo(1);
    }

    @Test
    void aPacketThatIsWrongCostsItselfOnly() throws IOException {
        PcapngBytes file = new PcapngBytes().section(ByteOrder.LITTLE_ENDIAN);
        file.simple(SYN.length, SYN)
                .block(1, 16, 16, new byte[4])
                .description(LinkType.RAW, 0, new byte[] {9, 0, 100, 0, 9, 0, 0, 0})
                .enhanced(0, 1_000_000, SYN)
                .enhanced(1, 2_000_000, SYN)
                .enhanced(2, 3_000_000, SYN)
                .enhanced(-1, 3_000_000, SYN)
                .enhanced(1, 3_000_000, SYN.length + 4, SYN.length, SYN)
                .enhanced(1, 3_000_000, -1, SYN.length, SYN)
                .block(6, 16, 16, new byte[4])
                .block(3, 12, 12, new byte[0])
                .enhanced(1, 4_000_000, ACK);

        Read read = read(file.bytes());

        assertThat(read.packets())
                .containsExactly("101 2.000000000 tcp 2", "101 4.000000000 tcp 16");
        assertThat(read.end().isClean()).isTrue();
        assertThat(read.tally().exceptions())
                .isEqualTo(Map.of("lost-unknown-interface", 4L, "lost-bad-length", 4L));
    }

    @Test
    void interfacesWithoutEndTakeNoMemory() throws IOException {
        int most = PcapngRecords.MAX_INTERFACES;
        PcapngBytes file = new PcapngBytes().section(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i <= most; i++) {
            file.description(LinkType.RAW, 0);
        }
        file.enhanced(most - 1, 1_000_000, SYN).enhanced(most, 2_000_000, SYN);

        Read read = read(file.bytes());

        assertThat(read.packets()).containsExactly("101 1.000000000 tcp 2");
        assertThat(read.end().isClean()).isTrue();
        assertThat(read.tally().count(LostRecord.UNKNOWN_INTERFACE)).isEqualTo(1);
    }

    @Test
    void aTimeThatNoClockShowsIsBorrowedFromThePacketBefore() throws IOException {
        PcapngBytes file = new PcapngBytes().section(ByteOrder.LITTLE_ENDIAN);
        file.description(LinkType.RAW, 0)
                .description(LinkType.RAW, 0, file.timing(MICROS, -100))
                .description(LinkType.RAW, 0, file.timing(0x80 | 64, 0))
                .description(LinkType.RAW, 0, file.timing(0, Long.MAX_VALUE))
                .description(LinkType.RAW, 0, file.timing(20, 0))
                .enhanced(0, 5_000_000, SYN)
                .enhanced(0, -1, SYN)
                .enhanced(1, 99_000_000, SYN)
                .enhanced(1, 100_000_000, SYN)
                .enhanced(2, 1, SYN)
                .enhanced(3, 1, SYN)
                .enhanced(4, 1, SYN);

        Read read = read(file.bytes());

        // The largest number of microseconds, unsigned, is about the year 586,524.
        assertThat(read.packets())
                .containsExactly(
                        "101 5.000000000 tcp 2",
                        "101 5.000000000 tcp 2",
                        "101 5.000000000 tcp 2",
                        "101 0.000000000 tcp 2",
                        "101 0.000000000 tcp 2",
                        "101 0.000000000 tcp 2",
                        "101 0.000000000 tcp 2");
        assertThat(read.tally().borrowedTimes()).isEqualTo(5);
    }

    @Test
    void resolutionsAreExactToTheNanosecond() {
        for (int exponent = 0; exponent <= 19; exponent++) {
            long perSecond = 1;
            for (int i = 0; i < exponent; i++) {
                perSecond *= 10;
            }
            assertThat(new PcapngInterface(1, 0, exponent, 0).nanos(perSecond))
                    .isEqualTo(1_000_000_000L);
        }
        for (int exponent = 0; exponent <= 63; exponent++) {
            PcapngInterface binary = new PcapngInterface(1, 0, 0x80 | exponent, 0);
            assertThat(binary.nanos(1L << exponent)).isEqualTo(1_000_000_000L);
            assertThat(binary.nanos(exponent == 0 ? 0 : 1L << (exponent - 1)))
                    .isEqualTo(exponent == 0 ? 0 : 500_000_000L);
        }
        assertThat(new PcapngInterface(1, 0, 3, 7).nanos(1_234)).isEqualTo(8_234_000_000L);
        assertThat(new PcapngInterface(1, 0, 12, 0).nanos(1_234_567)).isEqualTo(1_234);
    }

    @Test
    void aSimplePacketEndsAtTheSnapLengthOfItsInterface() throws IOException {
        PcapngBytes file = new PcapngBytes().section(ByteOrder.LITTLE_ENDIAN);
        file.description(LinkType.RAW, 24).simple(SYN.length, Arrays.copyOf(SYN, 24));

        try (CaptureReader reader = LoadGeneratorTest.open(file.bytes())) {
            assertThat(reader.next()).isTrue();
            assertThat(reader.packet().capturedLength()).isEqualTo(24);
            assertThat(reader.packet().wireLength()).isEqualTo(SYN.length);
            assertThat(reader.packet().isTruncated()).isTrue();
            assertThat(reader.packet().kind()).isEqualTo(PacketKind.TRANSPORT_CUT);
        }
    }

    @Test
    void lengthsThatCannotBeEndTheCaptureWhereTheyAre() throws IOException {
        assertDamage(file -> file.block(6, 7, 7, new byte[0]), "a block of 7 bytes");
        assertDamage(file -> file.block(6, 0, 0, new byte[0]), "a block of 0 bytes");
        assertDamage(file -> file.block(6, 33, 33, new byte[21]), "a block of 33 bytes");
        assertDamage(file -> file.block(6, -4, -4, new byte[20]), "a block of 4294967292 bytes");
        assertDamage(file -> file.block(6, 1 << 21, 1 << 21, new byte[20]), "2097152");
        assertDamage(file -> file.block(6, 32, 36, new byte[20]), "two lengths differ");
        assertDamage(file -> file.section(ByteOrder.LITTLE_ENDIAN, 2), "version 2");
        assertDamage(
                file -> file.block(PcapngRecords.SECTION_HEADER, 28, 28, new byte[16]),
                "byte order 0");
    }

    private interface Damage {
        PcapngBytes applyTo(PcapngBytes file);
    }

    private static void assertDamage(Damage damage, String message) throws IOException {
        PcapngBytes file = new PcapngBytes().section(ByteOrder.LITTLE_ENDIAN);
        file.description(LinkType.RAW, 0).enhanced(0, 1_000_000, SYN);
        int place = file.size();
        damage.applyTo(file).enhanced(0, 2_000_000, SYN);

        Read read = read(file.bytes());

        assertThat(read.packets()).hasSize(1);
        assertThat(read.end().kind()).isEqualTo(CaptureEnd.Kind.DAMAGED);
        assertThat(read.end().offset()).isEqualTo(place);
        assertThat(read.end().message())
                .startsWith("trace: ")
                .contains(message)
                .contains("at offset " + place);
    }

    @Test
    void aSkippedBlockWhoseLengthsDifferEndsTheCaptureToo() throws IOException {
        PcapngBytes file = new PcapngBytes().section(ByteOrder.LITTLE_ENDIAN);
        file.description(LinkType.RAW, 0).block(PcapngBytes.CUSTOM, 32, 28, new byte[20]);

        CaptureEnd end = read(file.bytes()).end();

        assertThat(end.kind()).isEqualTo(CaptureEnd.Kind.DAMAGED);
        assertThat(end.message()).contains("two lengths differ");
    }

    @Test
    void everyPrefixGivesItsWholePackets() throws IOException {
        PcapngBytes file = new PcapngBytes().section(ByteOrder.BIG_ENDIAN);
        file.description(LinkType.RAW, 0, file.timing(NANOS, 0)).other(PcapngBytes.CUSTOM, "x");
        List<Integer> ends = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            file.enhanced(0, 1_000_000_000L * i, SYN).other(PcapngBytes.CUSTOM, "y".repeat(i));
            ends.add(file.size() - 12 - (i + 3) / 4 * 4);
        }
        byte[] whole = file.bytes();

        for (int length = 12; length < whole.length; length++) {
            Read read = read(Arrays.copyOf(whole, length));
            int limit = length;
            long expected = ends.stream().filter(end -> end <= limit).count();

            assertThat(read.packets()).as("prefix of %d bytes", length).hasSize((int) expected);
            assertThat(read.end().kind()).isIn(CaptureEnd.Kind.CUT, CaptureEnd.Kind.CLEAN);
        }
        for (int length = 0; length < 12; length++) {
            byte[] prefix = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> read(prefix)).isInstanceOf(CaptureException.class);
        }
    }

    @Test
    void anyChangedBytesGivePacketsOrACaptureException() throws IOException {
        byte[] whole = everyBlock(ByteOrder.LITTLE_ENDIAN, new PcapngBytes()).bytes();
        // Most of it is the long custom block; changes should hit the others.
        PcapngBytes file = new PcapngBytes().section(ByteOrder.LITTLE_ENDIAN);
        file.description(LinkType.ETHERNET, 0, file.timing(BINARY_20, 3));
        for (int i = 0; i < 8; i++) {
            file.enhanced(0, i, TestPackets.ethernet(SYN)).simple(SYN.length, SYN);
        }
        byte[] small = file.bytes();
        SplitMix64 random = new SplitMix64(TestSeed.SEED);

        for (int round = 0; round < 5_000; round++) {
            byte[] changed = small.clone();
            int changes = 1 + random.nextInt(4);
            int first = changed.length;
            for (int i = 0; i < changes; i++) {
                int at = random.nextInt(changed.length);
                changed[at] = (byte) random.nextLong();
                first = Math.min(first, at);
            }
            try {
                Read read = read(changed);
                assertThat(read.end().offset())
                        .as(TestSeed.reproduce())
                        .isBetween(0L, (long) changed.length);
            } catch (CaptureException e) {
                assertThat(first).as(TestSeed.reproduce()).isLessThan(12);
            }
        }
        assertThat(read(whole).packets()).hasSize(5);
    }

    private static Read read(byte[] bytes) throws IOException {
        List<String> packets = new ArrayList<>();
        try (CaptureReader reader = LoadGeneratorTest.open(bytes)) {
            Packet packet = reader.packet();
            while (reader.next()) {
                assertThat(packet.index()).isEqualTo(packets.size());
                assertThat(packet.timestampNanos()).isNotNegative();
                packets.add(
                        "%d %d.%09d %s %d"
                                .formatted(
                                        packet.linkType(),
                                        packet.timestampNanos() / 1_000_000_000,
                                        packet.timestampNanos() % 1_000_000_000,
                                        packet.hasTcpFlags() ? "tcp" : packet.kind().code(),
                                        packet.tcpFlags()));
            }
            assertThat(reader.tally().packets()).isEqualTo(packets.size());
            return new Read(packets, reader.end(), reader.tally());
        }
    }
}
