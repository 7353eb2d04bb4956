/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.capture.traffic.SplitMix64;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several captures read as one. */
class CaptureSetTest {
    private static final long SECOND = 1_000_000_000L;

    @TempDir private Path folder;

    private record Seen(long nanos, int port) {}

    @Test
    void packetsComeInTheOrderOfTimeAndThenOfTheCaptures() throws IOException {
        Path one = write("one", 1, 3, 3, 5);
        Path two = write("two", 2, 3, 4, 9);
        Path three = write("three");

        List<Seen> seen = read(CaptureSet.of(List.of(one, two, three), List.of(), false));

        assertThat(seen)
                .extracting(Seen::nanos)
                .containsExactly(
                        1 * SECOND,
                        2 * SECOND,
                        3 * SECOND,
                        3 * SECOND,
                        3 * SECOND,
                        4 * SECOND,
                        5 * SECOND,
                        9 * SECOND);
        int first = "one".hashCode() & 0xFFFF;
        int second = "two".hashCode() & 0xFFFF;
        assertThat(seen)
                .extracting(Seen::port)
                .containsExactly(first, second, first, first, second, second, first, second);
    }

    @Test
    void aCaptureThatIsNotInOrderKeepsItsOwn() throws IOException {
        Path one = write("one", 5, 1, 6);
        Path two = write("two", 2, 7);

        List<Seen> seen = read(CaptureSet.of(List.of(one, two), List.of(), false));

        assertThat(seen)
                .extracting(Seen::nanos)
                .containsExactly(2 * SECOND, 5 * SECOND, 1 * SECOND, 6 * SECOND, 7 * SECOND);
    }

    @Test
    void manyRandomCapturesAreMergedAsASortWould() throws IOException {
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        List<Path> captures = new ArrayList<>();
        List<Seen> expected = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            long[] seconds = new long[random.nextInt(200)];
            Arrays.setAll(seconds, at -> random.nextInt(500));
            Arrays.sort(seconds);
            String name = "capture" + i;
            captures.add(write(name, seconds));
            for (long second : seconds) {
                expected.add(new Seen(second * SECOND, name.hashCode() & 0xFFFF));
            }
        }
        expected.sort(Comparator.comparingLong(Seen::nanos));

        assertThat(read(CaptureSet.of(captures, List.of(), false)))
                .as(TestSeed.reproduce())
                .isEqualTo(expected);
    }

    @Test
    void aDamagedCaptureDoesNotEndTheOthers() throws IOException {
        Path cut = write("cut", 1, 2, 3);
        byte[] bytes = Files.readAllBytes(cut);
        Files.write(cut, Arrays.copyOf(bytes, bytes.length - 3));
        Path damaged = write("damaged", 1, 2);
        byte[] second = Files.readAllBytes(damaged);
        second[second.length - 40 + 11] = (byte) 0x80;
        Files.write(damaged, second);
        Path whole = write("whole", 8, 9);

        try (PacketSource source =
                CaptureSet.of(List.of(cut, damaged, whole), List.of(), false).open()) {
            long packets = 0;
            while (source.next()) {
                packets++;
            }
            assertThat(packets).isEqualTo(5);
            assertThat(source.next()).isFalse();
            assertThat(source.end().kind()).isEqualTo(CaptureEnd.Kind.DAMAGED);
            assertThat(source.end().packets()).isEqualTo(5);
            assertThat(source.end().message()).contains("cut: cut within", "damaged: a record");
            assertThat(source.tally().packets()).isEqualTo(5);
            assertThat(source.fileBytesRead()).isEqualTo(source.fileBytes());
        }
    }

    @Test
    void theEndIsNotKnownBeforeAllHaveEnded() throws IOException {
        try (PacketSource source =
                CaptureSet.of(List.of(write("one", 1), write("two", 2)), List.of(), false).open()) {
            assertThat(source.next()).isTrue();
            assertThatThrownBy(source::end).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void anUnreadableCaptureIsNamedAndTheOthersAreClosed() throws IOException {
        Path one = write("one", 1);
        Path missing = folder.resolve("missing");

        assertThatThrownBy(() -> CaptureSet.of(List.of(one, missing), List.of(), false).open())
                .isInstanceOf(CaptureException.class)
                .hasMessageContaining("missing: no such file");
        assertThatThrownBy(() -> CaptureSet.of(List.of(one), List.of(one, one), false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("all 1 in the same order, not for 2");
        assertThatThrownBy(() -> CaptureSet.of(List.of(), List.of(), false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least one");
    }

    @Test
    void timesBelongToTheCaptureOfTheSamePlace() throws IOException {
        Path one = write("one", 10, 30);
        Path two = write("two", 20, 40);
        Path timesOne = times("one.times", "10.000000001", "30.000000003");
        Path timesTwo = times("two.times", "20.000000002", "40.000000004");

        List<Seen> seen =
                read(CaptureSet.of(List.of(one, two), List.of(timesOne, timesTwo), false));

        assertThat(seen)
                .extracting(Seen::nanos)
                .containsExactly(
                        10_000_000_001L, 20_000_000_002L, 30_000_000_003L, 40_000_000_004L);
        CaptureSet swapped = CaptureSet.of(List.of(one, two), List.of(timesTwo, timesOne), false);
        assertThatThrownBy(() -> read(swapped))
                .isInstanceOf(CaptureException.class)
                .hasMessageContaining("another time");
    }

    @Test
    void aLineOfTimesThatIsWrongCostsItsPacketTheNanosecondsOnly() throws IOException {
        Path capture = write("one", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        Path times =
                times(
                        "one.times",
                        "1.000000001\r",
                        "noon",
                        "3.5.6",
                        "",
                        ".5",
                        "-6.1",
                        "99999999999999999999.1",
                        "8." + "0".repeat(200),
                        "90.0",
                        "10.0000000109");

        try (CaptureReader reader = CaptureReader.open(capture, times)) {
            List<Long> nanos = new ArrayList<>();
            while (reader.next()) {
                nanos.add(reader.packet().timestampNanos());
            }

            assertThat(nanos)
                    .containsExactly(
                            1_000_000_001L,
                            2 * SECOND,
                            3 * SECOND,
                            4 * SECOND,
                            5 * SECOND,
                            6 * SECOND,
                            7 * SECOND,
                            8 * SECOND,
                            9 * SECOND,
                            10_000_000_010L,
                            11 * SECOND);
            assertThat(reader.tally().exceptions())
                    .isEqualTo(Map.of("refused-time", 9L, "transport-cut", 11L));
        }
    }

    private Path times(String name, String... lines) throws IOException {
        return Files.write(folder.resolve(name), List.of(lines));
    }

    /** A capture with a packet at each of these seconds; its source port tells the capture. */
    private Path write(String name, long... seconds) throws IOException {
        Path file = folder.resolve(name);
        int port = name.hashCode() & 0xFFFF;
        byte[] packet = Arrays.copyOf(TestPackets.tcp4(port, 80, Packet.ACK), 24);
        try (OutputStream out = Files.newOutputStream(file);
                CaptureWriter writer = new CaptureWriter(out, LinkType.RAW, 65535)) {
            for (long second : seconds) {
                writer.write(second * SECOND, packet, packet.length, 40);
            }
        }
        return file;
    }

    private static List<Seen> read(CaptureSet captures) throws IOException {
        List<Seen> seen = new ArrayList<>();
        try (PacketSource source = captures.open()) {
            while (source.next()) {
                Packet packet = source.packet();
                seen.add(new Seen(packet.timestampNanos(), packet.sourcePort()));
            }
            assertThat(source.end().isClean()).isTrue();
            assertThat(source.end().packets()).isEqualTo(seen.size());
        }
        return seen;
    }
}
