/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.record.CounterKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a replay keeps beside its captures: golden files, which must stay readable for ever. */
class ReplayFormatTest {
    @TempDir private Path folder;

    @Test
    void theGoldenTruthSaysWhatWasSent() throws Exception {
        Truth truth = TruthFile.read(GoldenReplays.golden(GoldenReplays.TRUTH));

        TruthSummary summary = truth.summary();
        assertThat(summary).isEqualTo(GoldenReplays.truth(GoldenReplays.TRUTH).summary());
        assertThat(summary.firstOperationId()).isEqualTo(GoldenReplays.FIRST_OPERATION);
        assertThat(summary.operations()).isEqualTo(GoldenReplays.OPERATIONS);
        assertThat(summary.dropped()).isEqualTo(10);
        assertThat(summary.retriesBeyondWindow()).isPositive();
        assertThat(summary.malformed()).isEqualTo(Map.of("foreign", 2L, "too-short", 1L));
        assertThat(summary.captureEnd()).isEqualTo("cut");
        assertThat(summary.resumedFromRecord()).isEqualTo(17);
        CounterTotals services = truth.counters(CounterKind.SERVICE);
        assertThat(services.size()).isEqualTo(1);
        assertThat(services.operations(GoldenReplays.SERVICE)).isEqualTo(summary.operationsSent());
        assertThat(services.bytes(GoldenReplays.SERVICE)).isEqualTo(100 * summary.operationsSent());
        assertThat(services.sends(GoldenReplays.SERVICE)).isEqualTo(summary.sends());
        assertThat(services.sendsBeyondWindow(GoldenReplays.SERVICE))
                .isEqualTo(summary.retriesBeyondWindow());
        CounterTotals sources = truth.counters(CounterKind.SOURCE);
        assertThat(sources.size()).as("seven, and one of IPv6").isEqualTo(8);
        assertThat(sources.sends(GoldenReplays.IPV6_SOURCE)).isEqualTo(3);
    }

    @Test
    void theGoldenTruthOfNothingHasNoCounters() throws Exception {
        Truth truth = TruthFile.read(GoldenReplays.golden(GoldenReplays.EMPTY_TRUTH));

        assertThat(truth.summary())
                .isEqualTo(GoldenReplays.truth(GoldenReplays.EMPTY_TRUTH).summary());
        assertThat(truth.summary().recordsOnTopic()).isZero();
        for (CounterKind kind : CounterKind.values()) {
            assertThat(truth.counters(kind).size()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {GoldenReplays.TRUTH, GoldenReplays.EMPTY_TRUTH})
    void theGoldenTruthsAreWrittenAgain(String name) throws Exception {
        Path golden = GoldenReplays.golden(name);
        Path read = folder.resolve(name);
        Path now = Files.createDirectory(folder.resolve("now")).resolve(name);

        TruthFile.write(read, TruthFile.read(golden));
        TruthFile.write(now, GoldenReplays.truth(name));

        for (Path written : new Path[] {read, now}) {
            assertThat(Files.readString(written))
                    .isEqualToNormalizingNewlines(Files.readString(golden));
            assertThat(TruthFile.countersFileOf(written))
                    .hasSameBinaryContentAs(TruthFile.countersFileOf(golden));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {GoldenReplays.RESUME, GoldenReplays.DONE})
    void theGoldenResumeFilesGoOnAndAreWrittenAgain(String name) throws Exception {
        GoldenReplays.writeCaptures(folder);
        String golden =
                GoldenReplays.resumeIn(folder, Files.readString(GoldenReplays.golden(name)));
        Path file = Files.writeString(folder.resolve(name), golden);

        ResumeFile resume = GoldenReplays.open(folder, name);
        assertThat(resume.isDone()).isEqualTo(name.equals(GoldenReplays.DONE));
        assertThat(resume.record()).isEqualTo(resume.isDone() ? 0 : GoldenReplays.REACHED);

        Files.delete(file);
        GoldenReplays.write(folder, name);
        assertThat(Files.readString(file)).isEqualToNormalizingNewlines(golden);
    }
}
