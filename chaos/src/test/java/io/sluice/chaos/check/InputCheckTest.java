/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.chaos.truth.AckLog;
import java.io.IOException;
import java.nio.file.Path;
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
}
