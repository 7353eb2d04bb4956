/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.fuzz;

import static io.sluice.fuzz.Reading.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.capture.CaptureException;
import io.sluice.capture.CaptureReader;
import io.sluice.capture.Packet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
