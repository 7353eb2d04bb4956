/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes in use, input and environment: exit code 2, one line, nothing left behind. */
class SluiceErrorsIT {
    private static final long SEED = Long.getLong("test.seed", 20261101L);

    @TempDir private Path folder;
    private Path out;
    private Path whole;

    private record Run(int exit, String errors) {}

    @BeforeEach
    void generate() throws IOException {
        out = folder.resolve("out");
        whole = folder.resolve("whole.pcap");
        LoadGenerator.write(LoadOptions.builder(200).seed(SEED).build(), whole);
    }

    @Test
    void aCutCaptureIsRefusedWithTheWayToUseItAnyway() throws Exception {
        byte[] bytes = Files.readAllBytes(whole);
        Path cut = write("cut.pcap", Arrays.copyOf(bytes, bytes.length - 5));

        assertRefused(demo(cut), "cut.pcap", "--accept-damaged");
    }

    @Test
    void anEmptyFileIsRefused() throws Exception {
        assertRefused(demo(write("empty.pcap", new byte[0])), "empty.pcap");
    }

    @Test
    void aCaptureWithoutPacketsIsRefused() throws Exception {
        byte[] header = Arrays.copyOf(Files.readAllBytes(whole), 24);

        assertRefused(demo(write("header.pcap", header)), "header.pcap", "no packets");
    }

    @Test
    void garbageIsRefused() throws Exception {
        byte[] garbage = new byte[20_000];
        new Random(SEED).nextBytes(garbage);

        assertRefused(demo(write("garbage.pcap", garbage)), "garbage.pcap");
    }

    @Test
    void aFileOfAnotherTypeIsRefused() throws Exception {
        byte[] text = "no packets here\n".repeat(100).getBytes(StandardCharsets.US_ASCII);

        assertRefused(demo(write("notes.txt", text)), "notes.txt");
    }

    @Test
    void aMissingFileAndAFolderAreRefused() throws Exception {
        assertRefused(demo(folder.resolve("missing.pcap")), "missing.pcap");
        assertRefused(demo(folder), folder.toString());
    }

    @Test
    void anOutputFolderThatCannotBeMadeIsRefused() throws Exception {
        Path file = write("file", new byte[] {1});

        Run run = sluice("demo", "--capture=" + whole, "--out=" + file.resolve("out"));

        assertRefused(run, file.toString(), "--out");
        assertThat(file).hasBinaryContent(new byte[] {1});
    }

    @Test
    void aBrokerThatDoesNotAnswerIsNamed() throws Exception {
        String nobody = "127.0.0.1:1";

        assertRefused(
                sluice("job", "counters", "--bootstrap-servers=" + nobody),
                nobody,
                "--bootstrap-servers");
        assertRefused(sluice("replay", whole.toString(), "--bootstrap-servers=" + nobody), nobody);
    }

    @Test
    void optionsOutOfRangeAreNamed() throws Exception {
        assertRefused(sluice("demo", "--fpp=2", "--out=" + out), "--fpp", "0.25");
        assertRefused(sluice("demo", "--packets=ten", "--out=" + out), "--packets");
        assertRefused(sluice("demo", "--packet=10", "--out=" + out), "--packet=10", "--packets");
        assertRefused(sluice("demo", "--window=soon", "--out=" + out), "soon", "10s");
        assertRefused(
                sluice("demo", "--parallelism=2", "--rescale-to=2", "--out=" + out),
                "--rescale-to");
        assertRefused(sluice("job", "counters"), "--bootstrap-servers");
        assertRefused(sluice(), "sluice --help");
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    private Run demo(Path capture) {
        return sluice("demo", "--capture=" + capture, "--out=" + out);
    }

    private static Run sluice(String... arguments) {
        PrintStream before = System.err;
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
        try {
            int exit = Sluice.run(arguments);
            return new Run(exit, errors.toString(StandardCharsets.UTF_8));
        } finally {
            System.setErr(before);
        }
    }

    private void assertRefused(Run run, String... parts) throws IOException {
        assertThat(run.exit()).as(run.errors()).isEqualTo(2);
        assertThat(run.errors().lines()).as(run.errors()).hasSize(1);
        assertThat(run.errors()).startsWith("sluice: ").contains(parts);
        if (Files.exists(out)) {
            try (Stream<Path> left = Files.list(out)) {
                assertThat(left).isEmpty();
            }
        }
    }
}
