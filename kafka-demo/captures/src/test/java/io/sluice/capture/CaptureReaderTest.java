/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadGeneratorTest;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.capture.traffic.SplitMix64;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader on small generated captures; real ones are in {@link CaptureTruthTest}. */
class CaptureReaderTest {
    private static final int HEADER = ClassicRecords.FILE_HEADER_BYTES;

    @TempDir private Path directory;

    @Test
    void everyPrefixOfACaptureGivesItsWholePacketsAndTheOffsetOfTheCut() throws IOException {
        byte[] trace = LoadGeneratorTest.bytes(LoadOptions.builder(20).build());
        long[] ends = recordEnds(trace, 20);

        for (int length = HEADER; length <= trace.length; length++) {
            byte[] prefix = Arrays.copyOf(trace, length);
            CaptureEnd end = readToEnd(prefix);
            int whole = 0;
            while (whole < 20 && ends[whole + 1] <= length) {
                whole++;
            }

            boolean clean = ends[whole] == length;
            assertThat(end.kind())
                    .as("prefix of %d bytes", length)
                    .isEqualTo(clean ? CaptureEnd.Kind.CLEAN : CaptureEnd.Kind.CUT);
            assertThat(end.packets()).isEqualTo(whole);
            assertThat(end.offset()).isEqualTo(ends[whole]);
            assertThat(end.message().isEmpty()).isEqualTo(clean);
        }
    }

    @Test
    void everyPrefixOfACompressedCaptureEndsWithoutAnException() throws IOException {
        byte[] trace = LoadGeneratorTest.bytes(LoadOptions.builder(60).build());
        byte[] compressed = gzip(trace);
        long least = 0;

        for (int length = 60; length < compressed.length; length++) {
            try {
                CaptureEnd end = readToEnd(Arrays.copyOf(compressed, length));
                assertThat(end.kind()).isEqualTo(CaptureEnd.Kind.CUT);
                assertThat(end.packets()).isBetween(least, 60L);
                least = end.packets();
            } catch (CaptureException e) {
                assertThat(e).hasMessageContaining("cut");
                assertThat(least).isZero();
            }
        }
        assertThat(least).isGreaterThan(50);
        assertThat(readToEnd(compressed).isClean()).isTrue();
    }

    @Test
    void membersOfACompressedCaptureMayEndAnywhere() throws IOException {
        byte[] trace = LoadGeneratorTest.bytes(LoadOptions.builder(100).build());
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        members.write(gzip(Arrays.copyOf(trace, 1000)));
        members.write(gzip(new byte[0]));
        members.write(gzip(Arrays.copyOfRange(trace, 1000, trace.length)));

        CaptureEnd end = readToEnd(members.toByteArray());

        assertThat(end.isClean()).isTrue();
        assertThat(end.packets()).isEqualTo(100);
    }

    @Test
    void garbageBehindACompressedCaptureIsReported() throws IOException {
        byte[] trace = LoadGeneratorTest.bytes(LoadOptions.builder(100).build());
        byte[] compressed = gzip(trace);

        CaptureEnd end = readToEnd(Arrays.copyOf(compressed, compressed.length + 20));

        assertThat(end.kind()).isEqualTo(CaptureEnd.Kind.DAMAGED);
        assertThat(end.packets()).isEqualTo(100);
        assertThat(end.message()).contains("no gzip header");
    }

    @Test
    void aWrongCompressionChecksumIsReported() throws IOException {
        byte[] compressed = gzip(LoadGeneratorTest.bytes(LoadOptions.builder(100).build()));
        compressed[compressed.length - 8] ^= 1;

        CaptureEnd end = readToEnd(compressed);

        assertThat(end.kind()).isEqualTo(CaptureEnd.Kind.DAMAGED);
        assertThat(end.packets()).isEqualTo(100);
        assertThat(end.message()).contains("checksum");
    }

    @Test
    void anyChangedByteGivesPacketsOrACaptureException() throws IOException {
        byte[] trace = LoadGeneratorTest.bytes(LoadOptions.builder(10).build());
        SplitMix64 random = new SplitMix64(TestSeed.SEED);

        for (int round = 0; round < 2_000; round++) {
            byte[] changed = trace.clone();
            int at = random.nextInt(changed.length);
            changed[at] = (byte) random.nextLong();
            try {
                // A shorter packet may leave bytes behind that look like further ones.
                CaptureEnd end = readToEnd(changed);
                assertThat(end.offset())
                        .as(TestSeed.reproduce())
                        .isBetween(24L, (long) trace.length);
            } catch (CaptureException e) {
                assertThat(at).as(TestSeed.reproduce()).isLessThan(HEADER);
            }
        }
    }

    @Test
    void randomBytesBehindTheHeaderNeverThrow() throws IOException {
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        byte[] header = Arrays.copyOf(frame(new byte[0]), HEADER);

        for (int round = 0; round < 500; round++) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.write(header);
            for (int i = 0; i < 5; i++) {
                byte[] packet = new byte[random.nextInt(90)];
                for (int j = 0; j < packet.length; j++) {
                    packet[j] = (byte) random.nextLong();
                }
                // Most such packets should get past the first test, so they look like IP.
                if (packet.length > 15) {
                    packet[12] = 8;
                    packet[13] = 0;
                    packet[14] = (byte) (random.nextInt(2) == 0 ? 0x45 : 0x60);
                }
                out.write(Arrays.copyOfRange(frame(packet), HEADER, HEADER + 16 + packet.length));
            }
            assertThat(readToEnd(out.toByteArray()).packets()).isEqualTo(5);
        }
    }

    @Test
    void ipv6ExtensionHeadersAreSkipped() throws IOException {
        String hopByHop = "3c00000000000000";
        String destinationOptions = "2b00000000000000";
        String routing = "2c00000000000000";
        String fragment = "0600000100000001";
        String tcp = "c35001bb00000001000000005002200000000000";

        try (CaptureReader reader =
                open(rawIp(ipv6(0, hopByHop + destinationOptions + routing + fragment + tcp)))) {
            assertThat(reader.next()).isTrue();
            assertThat(reader.packet().protocol()).isEqualTo(Packet.TCP);
            assertThat(reader.packet().sourcePort()).isEqualTo(50000);
            assertThat(reader.packet().destinationPort()).isEqualTo(443);
            assertThat(reader.packet().tcpFlags()).isEqualTo(Packet.SYN);
        }
    }

    @Test
    void laterFragmentsHaveNoPorts() throws IOException {
        try (CaptureReader reader = open(rawIp(ipv6(44, "06000008000000010050005000500050")))) {
            assertThat(reader.next()).isTrue();
            assertThat(reader.packet().isLaterFragment()).isTrue();
            assertThat(reader.packet().protocol()).isEqualTo(Packet.TCP);
            assertThat(reader.packet().hasPorts()).isFalse();
        }
    }

    @Test
    void paddingBehindTheIpPacketIsNotItsTransport() throws IOException {
        // 24 bytes of IP with the TCP ports only, in a frame padded to 60.
        byte[] frame = new byte[60];
        byte[] ip =
                HexFormat.of()
                        .parseHex("450000180000400040060000" + "0a0000010a000002" + "00500051");
        Octets.putU16(frame, 12, 0x0800);
        System.arraycopy(ip, 0, frame, 14, ip.length);

        try (CaptureReader reader = open(frame(frame))) {
            assertThat(reader.next()).isTrue();
            assertThat(reader.packet().hasPorts()).isTrue();
            assertThat(reader.packet().hasTcpFlags()).isFalse();
        }
    }

    @Test
    void filesThatAreNoCaptureAreRefusedWithAFix() {
        assertRefused(new byte[0], "is empty", "capture again");
        assertRefused(new byte[] {1, 2}, "2 bytes", "capture again");
        assertRefused("hello, world".getBytes(StandardCharsets.UTF_8), "68656c6c", "pcap");
        assertRefused(HexFormat.of().parseHex("28b52ffd00000000"), "zstd", "decompress");
        assertRefused(HexFormat.of().parseHex("34cdb2a100000000"), "modified", "editcap");
        assertRefused(HexFormat.of().parseHex("d4c3b2a10200"), "header is cut", "copy");
        assertRefused(HexFormat.of().parseHex("1f8b0800"), "cut", "copy");
    }

    @Test
    void aMissingFileAndADirectoryAreNamed() {
        Path missing = directory.resolve("missing.pcap");

        assertThatThrownBy(() -> CaptureReader.open(missing))
                .isInstanceOf(CaptureException.class)
                .hasMessage(missing + ": no such file: check the path");
        assertThatThrownBy(() -> CaptureReader.open(directory))
                .isInstanceOf(CaptureException.class)
                .hasMessageContaining("is a directory");
    }

    @Test
    void timesMayComeFromAFileOfTheirOwn() throws IOException {
        Path capture = directory.resolve("trace.pcap");
        Path times = directory.resolve("trace.times");
        LoadGenerator.write(LoadOptions.builder(100).build(), capture);
        StringBuilder lines = new StringBuilder();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next()) {
                long nanos = reader.packet().timestampNanos() + 5;
                lines.append("%d.%09d\n".formatted(nanos / 1_000_000_000, nanos % 1_000_000_000));
            }
        }
        Files.writeString(times, lines);
        try (CaptureReader plain = CaptureReader.open(capture);
                CaptureReader timed = CaptureReader.open(capture, times)) {
            while (plain.next()) {
                assertThat(timed.next()).isTrue();
                assertThat(timed.packet().timestampNanos())
                        .isEqualTo(plain.packet().timestampNanos() + 5);
            }
        }

        Files.writeString(times, "12.5\n");
        assertTimesRefused(capture, times, "another time");
        Files.writeString(times, "noon\n");
        assertTimesRefused(capture, times, "is not a list of times");
        Files.writeString(times, "");
        assertTimesRefused(capture, times, "is not a list of times");
    }

    private static void assertTimesRefused(Path capture, Path times, String problem) {
        assertThatThrownBy(
                        () -> {
                            try (CaptureReader reader = CaptureReader.open(capture, times)) {
                                while (reader.next()) {
                                    assertThat(reader.packet().isIp()).isTrue();
                                }
                            }
                        })
                .isInstanceOf(CaptureException.class)
                .hasMessageContaining(times.toString())
                .hasMessageContaining(problem);
    }

    @Test
    void nothingIsAllocatedPerPacket() throws IOException {
        byte[] trace = LoadGeneratorTest.bytes(LoadOptions.builder(100_000).build());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        long allocated;
        try (CaptureReader reader = open(trace)) {
            assertThat(reader.next()).isTrue();
            long before = threads.getCurrentThreadAllocatedBytes();
            while (reader.next()) {
                sum += reader.packet().sourceLow();
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }

        assertThat(sum).isNotZero();
        assertThat(allocated).as("bytes for 100 000 packets").isLessThan(10_000);
    }

    @Test
    void theEndIsNotKnownBeforeItIsReached() throws IOException {
        try (CaptureReader reader = open(frame(new byte[10]))) {
            assertThatThrownBy(reader::end).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aStreamThatDeliversByteByByteIsReadAlike() throws IOException {
        byte[] trace = LoadGeneratorTest.bytes(LoadOptions.builder(50).build());
        InputStream slow =
                new ByteArrayInputStream(trace) {
                    @Override
                    public synchronized int read(byte[] target, int offset, int length) {
                        return super.read(target, offset, Math.min(1, length));
                    }
                };
        try (CaptureReader reader = CaptureReader.open("slow", slow)) {
            while (reader.next()) {
                assertThat(reader.packet().isIp()).isTrue();
            }
            assertThat(reader.end().packets()).isEqualTo(50);
        }
    }

    private static void assertRefused(byte[] bytes, String problem, String fix) {
        assertThatThrownBy(() -> readToEnd(bytes))
                .isInstanceOf(CaptureException.class)
                .hasMessageStartingWith("trace: ")
                .hasMessageContaining(problem)
                .hasMessageContaining(fix)
                .hasMessageContaining("at offset ");
    }

    private static CaptureReader open(byte[] bytes) throws IOException {
        return LoadGeneratorTest.open(bytes);
    }

    private static CaptureEnd readToEnd(byte[] bytes) throws IOException {
        try (CaptureReader reader = open(bytes)) {
            long packets = 0;
            while (reader.next()) {
                assertThat(reader.packet().index()).isEqualTo(packets++);
            }
            assertThat(reader.next()).isFalse();
            assertThat(reader.end().packets()).isEqualTo(packets);
            return reader.end();
        }
    }

    /** Offsets at which the file header, and then each record, ends. */
    private static long[] recordEnds(byte[] trace, int packets) {
        ByteBuffer buffer = ByteBuffer.wrap(trace).order(ByteOrder.LITTLE_ENDIAN);
        long[] ends = new long[packets + 1];
        ends[0] = HEADER;
        for (int i = 0; i < packets; i++) {
            ends[i + 1] = ends[i] + 16 + buffer.getInt((int) ends[i] + 8);
        }
        return ends;
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    private static byte[] ipv6(int nextHeader, String payload) {
        String header =
                "60000000%04x%02x40".formatted(payload.length() / 2, nextHeader)
                        + "20010db8000000000000000000000001"
                        + "20010db8000000000000000000000002";
        return HexFormat.of().parseHex(header + payload);
    }

    private static byte[] rawIp(byte[] packet) {
        return capture(LinkType.RAW, packet);
    }

    private static byte[] frame(byte[] packet) {
        return capture(LinkType.ETHERNET, packet);
    }

    private static byte[] capture(int linkType, byte[] packet) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (CaptureWriter writer = new CaptureWriter(out, linkType, 65535)) {
            writer.write(0, packet, packet.length, packet.length);
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
        return out.toByteArray();
    }
}
