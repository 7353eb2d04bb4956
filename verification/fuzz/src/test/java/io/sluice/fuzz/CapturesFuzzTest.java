/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.fuzz;

import static io.sluice.fuzz.Reading.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.capture.CaptureException;
import io.sluice.capture.CaptureReader;
import io.sluice.capture.Packet;
import io.sluice.capture.traffic.TrafficTruth;
import io.sluice.capture.traffic.TrafficTruthFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/** Captures: the reader tells pcap, pcapng and gzip apart by their first bytes. */
class CapturesFuzzTest {

    @FuzzTest
    void aCapture(byte[] bytes) throws IOException {
        readToTheEnd(bytes);
    }

    /** Past the checksum of gzip, which a fuzzer does not find. */
    @FuzzTest
    void aCompressedCapture(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        readToTheEnd(out.toByteArray());
    }

    /** What a generator of traffic notes of a capture. */
    @FuzzTest
    void aTruthOfTraffic(byte[] bytes) throws IOException {
        Path file = Files.createTempFile("fuzz-", ".json");
        try {
            TrafficTruth truth = TrafficTruthFile.read(Files.write(file, bytes));
            Reading.accept();
            TrafficTruthFile.write(file, truth);
            check(TrafficTruthFile.read(file).equals(truth), "what is written is what was read");
        } catch (IOException refused) {
            check(refused.getMessage().startsWith(file.toString()), "the file is named");
        } finally {
            Files.delete(file);
        }
    }

    private static void readToTheEnd(byte[] bytes) throws IOException {
        try (CaptureReader reader = CaptureReader.open("fuzzed", new ByteArrayInputStream(bytes))) {
            long packets = 0;
            while (reader.next()) {
                Packet packet = reader.packet();
                check(packet.kind() != null, "a kind");
                packets++;
                Reading.accept();
            }
            check(!reader.next(), "the end stays the end");
            check(reader.end().packets() == packets, "the end says how many packets there were");
            check(reader.end().message() != null, "the end says why");
        } catch (CaptureException refused) {
            check(refused.getMessage().startsWith("fuzzed"), "the file is named");
        }
    }
}
