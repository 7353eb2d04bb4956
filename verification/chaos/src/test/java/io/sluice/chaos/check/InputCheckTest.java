/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.chaos.truth.AckLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InputCheckTest {
    @TempDir Path folder;

    @Test
    void whatWasNotAcknowledgedMayBeThereOrNot() throws IOException {
        try (AckLog log = new AckLog(folder.resolve("log"))) {
            log.acknowledged("t", 0, 0);
            InputCheck check = new InputCheck();
            check.take(new ConsumerRecord<>("t", 0, 0, null, null));
            check.take(new ConsumerRecord<>("t", 1, 0, null, null));
            assertThatCode(() -> check.judge("t", 2, log)).doesNotThrowAnyException();
        }
    }

    @Test
    void whatWasAcknowledgedAndIsNotThereIsNoFaultOfAJob() throws IOException {
        try (AckLog log = new AckLog(folder.resolve("log"))) {
            log.acknowledged("t", 1, 4);
            assertThatThrownBy(() -> new InputCheck().judge("t", 2, log))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the broker lost 1 acknowledged records of topic t")
                    .hasMessageContaining("partition 1, offset 4");
        }
    }

    @Test
    void aFewRecordsMayBeUndetermined() throws IOException {
        CheckResult verdict = verdictOn(1000, 1);

        assertThat(verdict.isOk()).isTrue();
        assertThat(verdict.numbers())
                .containsEntry("undetermined", 1L)
                .containsEntry("because", Set.of("IOException"));
    }

    @Test
    void aRunOfWhichMuchIsUndeterminedIsWrong() throws IOException {
        assertThat(verdictOn(999, 1).violations())
                .singleElement()
                .asString()
                .contains("was not acknowledged", "1 of 999");
        assertThat(verdictOn(3, 3).isOk()).isFalse();
    }

    private CheckResult verdictOn(int sent, int undetermined) throws IOException {
        try (AckLog log = new AckLog(folder.resolve("log"))) {
            for (int i = 0; i < sent; i++) {
                log.sent();
            }
            for (int i = 0; i < undetermined; i++) {
                log.undetermined(new IOException("refused"));
            }
            CheckResult verdict = new CheckResult();
            InputCheck.judgeUndetermined(log, verdict);
            return verdict;
        }
    }
}
