/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.capture.AtomicFile;
import io.sluice.capture.CaptureEnd;
import io.sluice.capture.TestSeed;
import io.sluice.capture.traffic.SplitMix64;
import io.sluice.kafka.Brokers;
import io.sluice.record.CounterKind;
import io.sluice.record.DecodeResult;
import io.sluice.record.TestRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TruthFileTest {
    /** Looks like UTF-32, and has no character. */
    private static final String NO_TEXT = "\0\0\0:\1\0\0\0";

    @TempDir private Path directory;

    @Test
    void whatIsWrittenIsRead() throws IOException {
        Path file = directory.resolve("truth.json");
        Truth truth = truth();

        TruthFile.write(file, truth);
        Truth read = TruthFile.read(file);

        assertThat(read.summary()).isEqualTo(truth.summary());
        for (CounterKind kind : CounterKind.values()) {
            assertThat(list(read.counters(kind))).isEqualTo(list(truth.counters(kind)));
        }
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactlyInAnyOrder(file, directory.resolve("truth.counters"));
        }
    }

    @Test
    void everyChangedByteOfTheCountersIsNoticed() throws IOException {
        Path file = directory.resolve("truth.json");
        TruthFile.write(file, truth());
        Path counters = TruthFile.countersFileOf(file);
        byte[] bytes = Files.readAllBytes(counters);
        for (int at = 0; at < bytes.length; at += 7) {
            byte[] changed = bytes.clone();
            changed[at] ^= 1;
            Files.write(counters, changed);
            assertThatThrownBy(() -> TruthFile.read(file))
                    .as("byte %d", at)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(counters.toString());
        }
    }

    @Test
    void aShortFileOfCountersIsNoticed() throws IOException {
        Path file = directory.resolve("truth.json");
        TruthFile.write(file, truth());
        Path counters = TruthFile.countersFileOf(file);
        byte[] bytes = Files.readAllBytes(counters);
        for (int length = 0; length < bytes.length; length += 5) {
            Files.write(counters, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> TruthFile.read(file)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void countersOfAnotherReplayAreNoticed() throws IOException {
        Path file = directory.resolve("truth.json");
        Path other = directory.resolve("other.json");
        TruthFile.write(file, truth());
        CounterTotals more = new CounterTotals();
        more.add(1, SendKind.FIRST, 1);
        TruthFile.write(
                other,
                new Truth(
                        truth().summary(),
                        Map.of(CounterKind.SOURCE, more, CounterKind.SERVICE, more)));
        Files.move(
                TruthFile.countersFileOf(other),
                TruthFile.countersFileOf(file),
                StandardCopyOption.REPLACE_EXISTING);

        assertThatThrownBy(() -> TruthFile.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another truth file");
    }

    @Test
    void textThatIsNoTruthIsRefused() throws IOException {
        Path file = directory.resolve("truth.json");
        TruthFile.write(file, truth());
        String whole = Files.readString(file);
        for (String wrong :
                List.of(
                        "",
                        "null",
                        NO_TEXT,
                        "{\"format\": \"something\"}",
                        whole.substring(0, whole.length() / 2),
                        whole.replace("\"version\" : 1", "\"version\" : 2"),
                        whole.replaceFirst("(?s)\"summary\" : \\{.*\\},(?=\\s*\"counters\")", ""),
                        whole.replaceFirst("(?s)\"counters\" : \\{.*", "\"counters\" : null}"),
                        whole.replace("\"truth.counters\"", "null"),
                        whole.replace("truth.counters", "a\\u0000b"),
                        whole.replace("truth.counters", "../" + directory + "/truth.counters"),
                        whole.replace("\"operations\" : 500", "\"operations\" : -1"))) {
            assertThat(wrong).isNotEqualTo(whole);
            Files.writeString(file, wrong);
            assertThatThrownBy(() -> TruthFile.read(file))
                    .as(wrong)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(file.toString());
        }
    }

    /** With the right checksum. */
    @Test
    void countersThatNoReplayHasAreRefused() throws IOException {
        Path file = directory.resolve("truth.counters");
        CounterTotals one = new CounterTotals();
        one.put(5, 2, 3, 4, 1);
        Map<CounterKind, CounterTotals> whole =
                Map.of(CounterKind.SOURCE, one, CounterKind.SERVICE, one);
        CounterTotalsFile.write(file, whole);
        byte[] bytes = Files.readAllBytes(file);
        int first = 5 * Integer.BYTES;
        int second = first + 5 * Long.BYTES;

        assertRefused(file, bytes, first + Long.BYTES, -1, "negative");
        assertRefused(file, bytes, first + 2 * Long.BYTES, Long.MIN_VALUE, "negative");
        assertRefused(file, bytes, first + 3 * Long.BYTES, 0, "without sends");
        assertRefused(file, bytes, first + 4 * Long.BYTES, -1, "negative");
        assertRefused(file, bytes, second, 1 | 1L << 32, "twice");
        CounterTotals two = new CounterTotals();
        two.put(5, 2, 3, 4, 1);
        two.put(6, 2, 3, 4, 1);
        CounterTotalsFile.write(file, Map.of(CounterKind.SOURCE, two, CounterKind.SERVICE, one));
        assertRefused(file, Files.readAllBytes(file), second, 5, "ascending");
        CounterTotalsFile.write(file, Map.of(CounterKind.SOURCE, one));
        assertRefused(file, Files.readAllBytes(file), first, 5, "lacks counters");
    }

    private static void assertRefused(Path file, byte[] bytes, int at, long changed, String message)
            throws IOException {
        byte[] wrong = bytes.clone();
        ByteBuffer buffer = ByteBuffer.wrap(wrong).order(ByteOrder.LITTLE_ENDIAN);
        CRC32C checksum = new CRC32C();
        checksum.update(buffer.putLong(at, changed).limit(wrong.length - Integer.BYTES));
        buffer.limit(wrong.length).putInt(wrong.length - Integer.BYTES, (int) checksum.getValue());
        Files.write(file, wrong);
        assertThatThrownBy(() -> CounterTotalsFile.read(file, checksum.getValue()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aFailedWriteLeavesTheOldFileAndNothingElse() throws IOException {
        Path file = directory.resolve("file");
        Files.writeString(file, "old");

        assertThatThrownBy(
                        () ->
                                AtomicFile.write(
                                        file,
                                        out -> {
                                            out.write(new byte[100_000]);
                                            throw new IOException("No space left on device");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        file
                                + ": cannot be written (No space left on device): check the folder,"
                                + " its permissions and the space left");

        assertThat(Files.readString(file, StandardCharsets.UTF_8)).isEqualTo("old");
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void aMissingFolderIsNamed() {
        Path file = directory.resolve("absent").resolve("file");

        assertThatThrownBy(() -> AtomicFile.write(file, out -> out.write(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file + ": cannot be written (no such folder)");
    }

    @Test
    void totalsAreThoseOfAHashMap() {
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        CounterTotals totals = new CounterTotals();
        Map<Long, long[]> expected = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            long key = SplitMix64.mix(random.nextInt(20_000)) >>> random.nextInt(3);
            SendKind kind = List.of(SendKind.values()).get(random.nextInt(3));
            totals.add(key, kind, 10);
            long[] sums = expected.computeIfAbsent(key, k -> new long[4]);
            sums[0] += kind == SendKind.FIRST ? 1 : 0;
            sums[1] += kind == SendKind.FIRST ? 10 : 0;
            sums[2]++;
            sums[3] += kind == SendKind.RETRY_BEYOND_WINDOW ? 1 : 0;
        }

        assertThat(totals.size()).isEqualTo(expected.size());
        expected.forEach(
                (key, sums) ->
                        assertThat(
                                        new long[] {
                                            totals.operations(key),
                                            totals.bytes(key),
                                            totals.sends(key),
                                            totals.sendsBeyondWindow(key)
                                        })
                                .as(TestSeed.reproduce())
                                .isEqualTo(sums));
        assertThat(totals.sends(-12345)).isZero();
    }

    private static Truth truth() {
        TruthRecorder recorder = new TruthRecorder();
        for (int i = 0; i < 500; i++) {
            recorder.operation();
            recorder.sent(TestRecords.operation(i, i), i, SendKind.FIRST);
        }
        recorder.skippedPacket();
        recorder.sentMalformed(DecodeResult.FOREIGN);
        ReplayOptions options =
                ReplayOptions.builder(Brokers.at("localhost:9092"), "packets")
                        .faults(Faults.builder().seed(5).build())
                        .build();
        return recorder.truth("a.pcap", new CaptureEnd(CaptureEnd.Kind.CLEAN, 501, 9, ""), options);
    }

    private static List<String> list(CounterTotals totals) {
        List<String> lines = new ArrayList<>();
        totals.forEach(
                (key, operations, bytes, sends, beyond) ->
                        lines.add(key + " " + operations + " " + bytes + " " + sends + beyond));
        return lines;
    }
}
