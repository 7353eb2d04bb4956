/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.state.CascadeBackendOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The local directory of a running task is cleared, or the disk is gone. */
class LostLocalFilesTest {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final long START = 1_700_000_000_000L;
    private static final int KEYS = 5_000;

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(longs = {0, 60_000})
    void theTaskFailsByTheNamesOfStateAndFileAndStartsFromItsCheckpoint(long timeToLive)
            throws Exception {
        KeyedJob<Long> job =
                new KeyedJob<>(
                        () ->
                                StateBackends.cascade(
                                        options ->
                                                options.set(
                                                                CascadeBackendOptions.DELEGATE,
                                                                "hashmap")
                                                        .set(
                                                                CascadeBackendOptions.BUFFER_SIZE,
                                                                MemorySize.parse("16kb"))),
                        KeyKind.LONGS,
                        StateContract.MAX_PARALLELISM,
                        directory);
        job.time().setCurrentTimestamp(START);
        job.start(1);
        ValueStateDescriptor<Boolean> descriptor =
                new ValueStateDescriptor<>("seen", Types.BOOLEAN);
        if (timeToLive > 0) {
            descriptor.enableTimeToLive(
                    StateTtlConfig.newBuilder(Duration.ofMillis(timeToLive)).build());
        }
        Flags<Long, VoidNamespace> seen = job.flags(descriptor);
        StateContract.mark(seen, 0, KEYS);
        job.checkpoint();
        deleteFilters(job.localDirectory(1, 0));
        assertThatThrownBy(
                        () -> {
                            for (long key = KEYS; key < 1000L * KEYS; key++) {
                                job.time().setCurrentTimestamp(START + key % (timeToLive + 1));
                                seen.markFirst(key, NOWHERE);
                            }
                        })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'seen'")
                .hasStackTraceContaining("sluice-cascade-");
        job.time().setCurrentTimestamp(START);
        job.start(1);
        for (long key = 0; key < KEYS; key++) {
            assertThat(seen.isMarked(key, NOWHERE)).isTrue();
        }
        job.checkpoint();
        job.stop();
    }

    private static void deleteFilters(Path local) throws IOException {
        try (Stream<Path> files = Files.list(local)) {
            for (Path file : files.filter(LostLocalFilesTest::isOfFilters).toList()) {
                FileUtils.deleteDirectory(file.toFile());
            }
        }
    }

    private static boolean isOfFilters(Path file) {
        return file.getFileName().toString().startsWith("sluice-cascade-");
    }
}
