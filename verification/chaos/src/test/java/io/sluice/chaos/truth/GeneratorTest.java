/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratorTest {
    /** Nothing listens there, and nothing is sent. */
    private static final String NO_BROKER = "127.0.0.1:1";

    @TempDir Path folder;

    /** A run that sent a part of what it should would be judged by that part. */
    @Test
    void aScriptThatFailsFailsTheRun() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        Script script =
                () -> {
                    asked.countDown();
                    throw new IndexOutOfBoundsException("no record");
                };
        try (AckLog log = new AckLog(folder.resolve("truth.log"));
                Generator generator = new Generator("test", script, log, NO_BROKER)) {
            asked.await();
            assertThatThrownBy(generator::end)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the generator stopped")
                    .hasMessageContaining("no record");
        }
    }
}
