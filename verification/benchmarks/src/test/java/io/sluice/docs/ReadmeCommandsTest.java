/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.Sluice;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands that the README and the pages that it names say to write do what they say: the text
 * is theirs.
 */
class ReadmeCommandsTest {

    @TempDir Path folder;

    @Test
    void aTopicIsCopiedEachIdOnce() throws Exception {
        String command = Snippet.ofReadme("### A Kafka topic", "sh", "./sluice job dedup").code();
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            kafka.createTopics(1, "orders");
            DocumentedCommand.send(
                    kafka,
                    "orders",
                    "{\"order\":{\"id\":1}}",
                    "{\"order\":{\"id\":2}}",
                    "{\"order\":{\"id\":1}}");

            List<String> words =
                    DocumentedCommand.words(command.replace("HOST:PORT", kafka.bootstrapServers()));
            words.add("--bounded");
            assertThat(Sluice.run(words.toArray(String[]::new))).isZero();

            assertThat(DocumentedCommand.received(kafka, "orders-deduplicated"))
                    .containsExactlyInAnyOrder("{\"order\":{\"id\":1}}", "{\"order\":{\"id\":2}}");
        }
    }

    @Test
    void aCaptureIsFollowed() throws Exception {
        Path capture = folder.resolve("capture.pcap.gz");
        assertThat(Sluice.run("generate", "--packets", "2000", capture.toString())).isZero();
        String command =
                Snippet.below(
                                Path.of("docs/flows.md"),
                                "# TCP flows of captures, without Kafka",
                                "sh",
                                "./sluice flows")
                        .code();

        List<String> words =
                DocumentedCommand.words(command.replace("capture.pcap.gz", capture.toString()));
        words.add("--out=" + folder.resolve("flows"));
        assertThat(Sluice.run(words.toArray(String[]::new))).isZero();

        assertThat(Files.readAllLines(folder.resolve("flows").resolve("conn.log")))
                .anyMatch(line -> line.startsWith("#fields"))
                .anyMatch(line -> !line.startsWith("#"));
    }
}
