/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobProgressTest {
    private static final long SECOND = 1_000_000_000L;

    private final StringWriter printed = new StringWriter();
    private long now = 17;
    private final JobProgress progress =
            new JobProgress(new ProgressLine(new PrintWriter(printed), false), () -> now);

    @Test
    void aJobThatReadsPrintsALineAtGrowingIntervalsIntoALog() {
        for (int second = 1; second <= 3600; second++) {
            now += SECOND;
            progress.show(second * 500L, true, null, 0, () -> "");
        }

        assertThat(lines()).hasSizeBetween(60, 70).allMatch(line -> line.endsWith("500/s"));
        assertThat(lines().get(0)).contains(" 1,000 records read");
        assertThat(lines().get(1)).contains(" 3,000 records read");
    }

    @Test
    void onATerminalTheLineOfProgressIsReplacedEveryTwoSeconds() {
        JobProgress shown =
                new JobProgress(new ProgressLine(new PrintWriter(printed), true), () -> now);
        for (int second = 1; second <= 10; second++) {
            now += SECOND;
            shown.show(second * 500L, true, null, 0, () -> "");
        }
        shown.end();

        assertThat(printed.toString().split("\r", -1)).hasSize(6);
        assertThat(printed.toString()).containsOnlyOnce("\n").endsWith("500/s\n");
    }

    @Test
    void aLineThatStaysCoversTheOneThatIsReplaced() {
        ProgressLine line = new ProgressLine(new PrintWriter(printed), true);
        line.replace("a long line");
        line.keep("short");
        line.keep("x");

        assertThat(printed.toString()).isEqualTo("\ra long line\rshort      \nx\n");
    }

    @Test
    void aJobThatWaitsForRecordsSaysSoOnce() {
        pass(10, 1000, true);
        pass(3600, 1000, true);
        pass(10, 1001, true);
        pass(3600, 1001, true);

        assertThat(lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("1,000 records read", "500/s"),
                        line -> assertThat(line).contains("1,000 records read; waiting for more"),
                        line -> assertThat(line).contains("1,001 records read", "/s"),
                        line -> assertThat(line).contains("1,001 records read; waiting for more"));
    }

    @Test
    void aJobThatStartsDoesNotWaitForRecords() {
        for (int second = 0; second < 10; second++) {
            now += SECOND;
            progress.show(0, false, null, 0, () -> "");
        }

        assertThat(lines()).isEmpty();
    }

    @Test
    void aBrokerThatIsGoneIsSaidEverMoreSeldomAndSoIsItsReturn() {
        pass(3600, 0, false);
        List<String> gone = lines();
        pass(4, 0, true);

        assertThat(gone)
                .hasSizeBetween(6, 15)
                .allMatch(line -> line.startsWith("no broker has answered at here:9092 for "));
        assertThat(lines().get(gone.size())).isEqualTo("the broker at here:9092 answers again");
    }

    @Test
    void aBrokerThatIsGoneForAMomentIsNotMentioned() {
        pass(4, 0, false);
        pass(4, 0, true);

        assertThat(lines()).hasSize(1).allMatch(line -> line.contains("waiting for more"));
    }

    @Test
    void aJobThatFailsForEverSaysWhyEverMoreSeldom() {
        for (int second = 1; second <= 3600; second++) {
            now += SECOND;
            progress.show(0, false, "here:9092", second * 5L, () -> "out of paper");
        }

        assertThat(lines().stream().filter(line -> line.contains("out of paper")))
                .hasSizeBetween(2, 15)
                .first()
                .asString()
                .contains("restarted from its last checkpoint", "10 times");
    }

    private void pass(int seconds, long read, boolean brokerAnswers) {
        for (int second = 0; second < seconds; second++) {
            now += SECOND;
            progress.show(read, true, brokerAnswers ? null : "here:9092", 0, () -> "");
        }
    }

    private List<String> lines() {
        return printed.toString().lines().toList();
    }
}
