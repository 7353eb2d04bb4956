/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.capture.CaptureSet;
import io.sluice.kafka.Brokers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResumeFileTest {
    /** Looks like UTF-32, and has no character. */
    private static final String NO_TEXT = "\0\0\0:\1\0\0\0";

    static final ReplayTopic.Identity TOPIC = new ReplayTopic.Identity("c1", "t1");

    private static final ReplayOptions OPTIONS =
            ReplayOptions.builder(Brokers.at("host:1"), "packets").build();

    @TempDir private Path folder;
    private Path file;
    private Path capture;
    private CaptureSet captures;

    @BeforeEach
    void name() throws IOException {
        file = folder.resolve("resume.json");
        capture = Files.write(folder.resolve("trace.pcap"), new byte[100]);
        captures = CaptureSet.of(capture);
    }

    @Test
    void keepsTheLastRecordReached() throws IOException {
        ResumeFile first = ResumeFile.open(file, captures, OPTIONS, TOPIC);
        assertThat(first.record()).isZero();
        first.reached(500);
        first.reached(400);

        ResumeFile second = ResumeFile.open(file, captures, OPTIONS, TOPIC);
        assertThat(second.record()).isEqualTo(500);
        assertThat(second.isDone()).isFalse();
        second.finish();

        assertThat(ResumeFile.open(file, captures, OPTIONS, TOPIC).isDone()).isTrue();
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactlyInAnyOrder(file, capture);
        }
    }

    @Test
    void theBrokerAndThePaceMayChange() throws IOException {
        ResumeFile.open(file, captures, OPTIONS, TOPIC).reached(7);

        ReplayOptions other =
                ReplayOptions.builder(Brokers.at("other:2"), "packets")
                        .pace(Pace.parse("3x"))
                        .build();

        assertThat(ResumeFile.open(file, captures, other, TOPIC).record()).isEqualTo(7);
    }

    @Test
    void theTopicOnTheBrokerMayNot() throws IOException {
        ResumeFile.open(file, captures, OPTIONS, TOPIC).reached(7);

        for (ReplayTopic.Identity other :
                List.of(
                        new ReplayTopic.Identity("c2", "t1"),
                        new ReplayTopic.Identity("c1", "t2"),
                        new ReplayTopic.Identity("c1", ReplayTopic.Identity.NO_TOPIC))) {
            assertThatThrownBy(() -> ResumeFile.open(file, captures, OPTIONS, other))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("belongs to another replay")
                    .hasMessageContaining("delete it to start over");
        }
    }

    @Test
    void whatTheRecordsDependOnMayNot() throws IOException {
        ResumeFile.open(file, captures, OPTIONS, TOPIC).reached(7);
        Path times = Files.writeString(folder.resolve("times"), "1.0");

        assertRefused(
                captures,
                ReplayOptions.builder(Brokers.at("host:1"), "other").build(),
                "topic",
                "other");
        assertRefused(captures, builder().loops(2).build(), "loops is 1, not 2");
        assertRefused(captures, builder().malformed(3).build(), "malformed is 0, not 3");
        assertRefused(captures, builder().firstOperationId(9).build(), "first operation id");
        assertRefused(
                captures,
                builder().faults(Faults.builder().seed(5).build()).build(),
                "faults",
                "seed=5");
        assertRefused(CaptureSet.of(List.of(capture), List.of(), true), OPTIONS, "inside tunnels");
        assertRefused(
                CaptureSet.of(List.of(capture), List.of(times), false),
                OPTIONS,
                "times 1 is nothing, not");
        assertRefused(
                CaptureSet.of(List.of(capture, capture), List.of(), false), OPTIONS, "capture 2");
        Files.write(capture, new byte[101]);
        assertRefused(captures, OPTIONS, "capture 1", "100 bytes", "101 bytes");
    }

    @Test
    void whatIsNoResumeFileIsRefused() throws IOException {
        for (String content :
                List.of(
                        "",
                        "text",
                        "null",
                        NO_TEXT,
                        "{}",
                        "[1]",
                        "{\"format\":\"sluice-resume\",\"version\":1,\"replay\":{},\"record\":1,"
                                + "\"done\":false}",
                        "{\"format\":\"other\",\"version\":2,\"replay\":{},\"record\":1,"
                                + "\"done\":false}",
                        "{\"format\":\"sluice-resume\",\"version\":2,\"replay\":null,\"record\":1,"
                                + "\"done\":false}",
                        "{\"format\":\"sluice-resume\",\"version\":2,\"replay\":{\"topic\":null},"
                                + "\"record\":1,\"done\":false}",
                        "{\"format\":\"sluice-resume\",\"version\":2,\"replay\":{},\"record\":-1,"
                                + "\"done\":false}")) {
            Files.writeString(file, content);
            assertRefused(captures, OPTIONS, "resume.json");
            assertThat(file).hasContent(content);
        }
    }

    private static ReplayOptions.Builder builder() {
        return ReplayOptions.builder(Brokers.at("host:1"), "packets");
    }

    private void assertRefused(CaptureSet set, ReplayOptions options, String... parts) {
        assertThatThrownBy(() -> ResumeFile.open(file, set, options, TOPIC))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll(parts)
                .hasMessageContaining("delete it to start over");
    }
}
