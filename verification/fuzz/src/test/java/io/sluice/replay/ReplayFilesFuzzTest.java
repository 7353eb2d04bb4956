/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import static io.sluice.fuzz.Reading.check;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.capture.CaptureSet;
import io.sluice.flink.testkit.local.Directories;
import io.sluice.fuzz.Reading;
import io.sluice.kafka.Brokers;
import io.sluice.record.CounterKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Files beside a replay. Each is read, or refused by an {@link IOException} that names it. */
class ReplayFilesFuzzTest {
    private static Path folder;

    @BeforeAll
    static void makeFolder() throws IOException {
        folder = Files.createTempDirectory("fuzz-replay-");
    }

    @AfterAll
    static void deleteFolder() throws IOException {
        Directories.deleteRecursively(folder);
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void isReadOrRefused(Path file, Work work) {
        try {
            work.run();
        } catch (IOException refused) {
            check(refused.getMessage().startsWith(folder.toString()), "the file is named: " + file);
            return;
        }
        Reading.accept();
    }

    @FuzzTest
    void counters(byte[] bytes) throws IOException {
        CRC32C checksum = new CRC32C();
        byte[] righted = bytes.clone();
        int body = righted.length - Integer.BYTES;
        if (body >= 0) {
            checksum.update(righted, 0, body);
            ByteBuffer.wrap(righted)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(body, (int) checksum.getValue());
        }
        Path file = Files.write(folder.resolve("fuzzed.counters"), righted);
        isReadOrRefused(
                file,
                () -> {
                    Map<CounterKind, CounterTotals> read =
                            CounterTotalsFile.read(file, checksum.getValue());
                    Path again = folder.resolve("again.counters");
                    CounterTotalsFile.write(again, read);
                    byte[] written = Files.readAllBytes(again);
                    check(written.length == righted.length, "what is written is as long");
                    // The file may have had its kinds in another order.
                    check(
                            righted[12] != written[12] || Arrays.equals(written, righted),
                            "what is written is what was read");
                });
    }

    /** Beside counters of its own. */
    @FuzzTest
    void aTruth(byte[] bytes) throws IOException {
        CounterTotals totals = new CounterTotals();
        totals.put(1, 2, 3, 4, 5);
        long checksum =
                CounterTotalsFile.write(
                        folder.resolve("truth.counters"),
                        Map.of(CounterKind.SOURCE, totals, CounterKind.SERVICE, totals));
        Path file = folder.resolve("truth.json");
        Files.write(file, with(bytes, "CHECKSUM", checksum));
        isReadOrRefused(
                file,
                () -> {
                    Truth truth = TruthFile.read(file);
                    check(truth.summary().recordsOnTopic() >= 0, "a number of records");
                    check(truth.summary().operationsSent() >= 0, "a number of operations");
                    for (CounterKind kind : CounterKind.values()) {
                        check(truth.counters(kind).size() == 1, "counters of each kind");
                    }
                    Path again = folder.resolve("again.json");
                    TruthFile.write(again, truth);
                    check(
                            TruthFile.read(again).summary().equals(truth.summary()),
                            "what is written is what was read");
                });
    }

    @FuzzTest
    void aResumePoint(byte[] bytes) throws IOException {
        Path capture = Files.write(folder.resolve("trace.pcap"), new byte[100]);
        Path file = folder.resolve("resume.json");
        Files.write(file, with(bytes, "CAPTURE", capture));
        ReplayOptions options = ReplayOptions.builder(Brokers.at("host:1"), "packets").build();
        CaptureSet captures = CaptureSet.of(capture);
        ReplayTopic.Identity topic = new ReplayTopic.Identity("c1", "t1");
        isReadOrRefused(
                file,
                () -> {
                    ResumeFile resume = ResumeFile.open(file, captures, options, topic);
                    check(resume.record() >= 0, "a record");
                    resume.reached(Long.MAX_VALUE);
                    check(
                            ResumeFile.open(file, captures, options, topic).record()
                                    == Long.MAX_VALUE,
                            "it goes on");
                });
    }

    /** What only the harness knows, where an input has {@code name}. */
    private static byte[] with(byte[] bytes, String name, Object value) {
        return new String(bytes, ISO_8859_1).replace(name, value.toString()).getBytes(ISO_8859_1);
    }
}
