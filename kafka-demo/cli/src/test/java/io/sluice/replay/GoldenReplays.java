/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.capture.CaptureEnd;
import io.sluice.capture.CaptureSet;
import io.sluice.kafka.Brokers;
import io.sluice.record.CounterKind;
import io.sluice.record.DecodeResult;
import io.sluice.record.TestRecords;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Wrote the golden truths and resume files, once: a released format is never written again, so
 * existing files are left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenReplays {

    static final String TRUTH = "v1-truth.json";
    static final String EMPTY_TRUTH = "v1-empty-truth.json";
    static final String RESUME = "v2-resume.json";
    static final String DONE = "v2-done.json";

    static final long OPERATIONS = 100;
    static final long FIRST_OPERATION = 1_000;
    static final long REACHED = 12_345;

    /** Beyond IPv4 and beyond 2^63, so that the order of keys shows. */
    static final long IPV6_SOURCE = 0xfe80_0000_0000_0001L;

    static final long SERVICE = 6L << 16 | 443;

    /** In golden resume files, in place of the folder: they name the captures by their paths. */
    private static final String FOLDER = "FOLDER";

    private static final ReplayTopic.Identity TOPIC =
            new ReplayTopic.Identity("a cluster", "a topic");

    private GoldenReplays() {}

    private static Faults faults() {
        return Faults.builder()
                .seed(-5)
                .retryShare(0.25)
                .maxRetries(3)
                .retryDelay(Duration.ofSeconds(1), Duration.ofSeconds(9))
                .window(Duration.ofSeconds(60))
                .beyondWindowShare(0.125)
                .dropShare(0.0625)
                .reorder(0.5, Duration.ofSeconds(2))
                .build();
    }

    private static ReplayOptions.Builder options() {
        return ReplayOptions.builder(Brokers.at("localhost:9092"), "packets")
                .faults(faults())
                .loops(3)
                .malformed(7)
                .firstOperationId(FIRST_OPERATION);
    }

    private static ReplayOptions plainOptions() {
        return ReplayOptions.builder(Brokers.at("localhost:9092"), "packets").build();
    }

    /** Something of everything: retries of both kinds, dropped, late and foreign records. */
    private static Truth truth() {
        TruthRecorder recorder = new TruthRecorder();
        for (int i = 0; i < OPERATIONS; i++) {
            recorder.operation();
            if (i % 10 == 9) {
                continue;
            }
            recorder.sent(TestRecords.operation(i, i), 5_000 - i % 3, SendKind.FIRST);
            if (i % 4 == 0) {
                recorder.sent(TestRecords.operation(i, i), 6_000, SendKind.RETRY);
            }
            if (i % 8 == 0) {
                recorder.sent(TestRecords.operation(i, i), 99_000, SendKind.RETRY_BEYOND_WINDOW);
            }
        }
        recorder.skippedPacket();
        recorder.sentMalformed(DecodeResult.FOREIGN);
        recorder.sentMalformed(DecodeResult.TOO_SHORT);
        recorder.sentMalformed(DecodeResult.FOREIGN);
        Truth truth =
                recorder.truth(
                        "east.pcap, west.pcap",
                        new CaptureEnd(CaptureEnd.Kind.CUT, 101, 9_999, "cut at \"9999\""),
                        options().resumeFromRecord(17).build());
        truth.counters(CounterKind.SOURCE).put(IPV6_SOURCE, 1, 2, 3, 1);
        return truth;
    }

    /** Of a replay that sent nothing. */
    private static Truth emptyTruth() {
        return new TruthRecorder()
                .truth(
                        "empty.pcap",
                        new CaptureEnd(CaptureEnd.Kind.CLEAN, 0, 24, ""),
                        plainOptions());
    }

    static Truth truth(String name) {
        return name.equals(TRUTH) ? truth() : emptyTruth();
    }

    /** Opens the resume file of this name in a folder in which the captures are. */
    static ResumeFile open(Path folder, String name) throws IOException {
        Path file = folder.resolve(name);
        Path east = folder.resolve("east.pcap");
        if (name.equals(DONE)) {
            return ResumeFile.open(file, CaptureSet.of(east), plainOptions(), TOPIC);
        }
        CaptureSet captures =
                CaptureSet.of(
                        List.of(east, folder.resolve("west.pcap")),
                        List.of(folder.resolve("east.times"), folder.resolve("west.times")),
                        true);
        return ResumeFile.open(file, captures, options().build(), TOPIC);
    }

    /** Of a replay that has got somewhere, or is complete. */
    static void write(Path folder, String name) throws IOException {
        ResumeFile resume = open(folder, name);
        if (name.equals(DONE)) {
            resume.finish();
        } else {
            resume.reached(REACHED);
        }
    }

    static void writeCaptures(Path folder) throws IOException {
        Map<String, Integer> sizes =
                Map.of("east.pcap", 100, "west.pcap", 200, "east.times", 3, "west.times", 4);
        for (Map.Entry<String, Integer> each : sizes.entrySet()) {
            Files.write(folder.resolve(each.getKey()), new byte[each.getValue()]);
        }
    }

    /** What a golden resume file would be with the captures in this folder. */
    static String resumeIn(Path folder, String golden) {
        return golden.replace(FOLDER, folder.toAbsolutePath().normalize().toString());
    }

    /** The golden file: where it is in the class path. */
    static Path golden(String name) throws URISyntaxException {
        return Path.of(GoldenReplays.class.getResource("/golden/replay/" + name).toURI());
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        for (String name : new String[] {TRUTH, EMPTY_TRUTH}) {
            if (!Files.exists(folder.resolve(name))) {
                TruthFile.write(folder.resolve(name), truth(name));
            }
        }
        Path captures = Files.createTempDirectory("golden");
        writeCaptures(captures);
        for (String name : new String[] {RESUME, DONE}) {
            if (!Files.exists(folder.resolve(name))) {
                write(captures, name);
                String text = Files.readString(captures.resolve(name));
                String path = captures.toAbsolutePath().normalize().toString();
                Files.writeString(folder.resolve(name), text.replace(path, FOLDER));
            }
        }
    }
}
