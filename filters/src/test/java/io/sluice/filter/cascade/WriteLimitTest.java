/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A failure here would wait for hours. */
@Timeout(60)
class WriteLimitTest {

    @TempDir Path directory;

    @Test
    void aWriterThatGivesUpDoesNotWaitForWhatWasWritten() {
        AtomicInteger asked = new AtomicInteger();
        new WriteLimit(1).paid(Long.MAX_VALUE / 4, () -> asked.incrementAndGet() == 3);
        assertThat(asked).hasValue(3);
    }

    @Test
    void closingAFilterDoesNotWaitForAMergeBelowALimit() throws IOException {
        try (CascadeResources resources = CascadeResources.create(1 << 20, 1, 1)) {
            CascadeOptions options =
                    CascadeOptions.builder()
                            .capacity(1_000_000)
                            .bufferBytes(1 << 16)
                            .mergePolicy(MergePolicy.fewFiles(1))
                            .syncPolicy(SyncPolicy.NEVER)
                            .resources(resources)
                            .build();
            CascadeFilter filter = CascadeFilter.open(directory, options);
            long hash = 1;
            while (filter.statistics().mergesRunning() == 0) {
                for (int i = 0; i < 1000; i++) {
                    filter.insert(0, hash += 0x9e3779b97f4a7c15L);
                }
            }
            while (!isAMergeWaiting()) {
                Thread.onSpinWait();
            }
            filter.close();
        }
    }

    private static boolean isAMergeWaiting() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(
                        frame ->
                                frame.getClassName().equals(WriteLimit.class.getName())
                                        && frame.getMethodName().equals("paid"));
    }
}
