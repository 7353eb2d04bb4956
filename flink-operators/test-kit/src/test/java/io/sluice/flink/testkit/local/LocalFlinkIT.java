/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFlinkIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir private Path parent;

    @Test
    void aJobOutlivesItsTaskManagerAndIsRescaledFromASavepoint() throws Exception {
        try (LocalFlink flink = LocalFlink.start(parent, 2, 1)) {
            RunningJob job = flink.submit(endless(2), "endless");
            job.awaitRunning(LIMIT);
            job.await(
                    "counting",
                    LIMIT,
                    () -> flink.metrics().total("Source: numbers", "numRecordsOut") > 0);
            job.checkpoint();

            int replacement = flink.replaceTaskManager(0);
            job.await("restored", LIMIT, () -> job.restored() == 1);
            job.awaitRunning(LIMIT);
            job.checkpoint();
            String savepoint = job.stopWithSavepoint(false);

            assertThat(replacement).isEqualTo(2);
            assertThat(job.restarts()).isEqualTo(1);
            assertThat(job.hasEnded()).isTrue();
            List<Checkpoint> checkpoints = job.checkpoints();
            assertThat(checkpoints).hasSizeGreaterThanOrEqualTo(3);
            assertThat(checkpoints.get(checkpoints.size() - 1).savepoint()).isTrue();
            assertThat(checkpoints).allMatch(c -> c.bytes() > 0 && c.durationMillis() >= 0);

            RunningJob smaller = flink.submit(endless(1), "smaller", savepoint);
            smaller.awaitRunning(LIMIT);
            smaller.cancel();
            smaller.await("ended", LIMIT, smaller::hasEnded);
        }
        try (Stream<Path> left = Files.list(parent)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aFolderKeepsTheStateOfAJobThatIsCancelledAndOfOneThatFails() throws Exception {
        try (StateFolder state = StateFolder.open(parent.resolve("state"), "--state-dir")) {
            try (LocalFlink flink = LocalFlink.start(parent, 1, 1, Optional.of(state))) {
                RunningJob job = flink.submit(endless(1), "endless");
                job.awaitRunning(LIMIT);
                job.checkpoint();
                job.cancel();
                job.await("ended", LIMIT, job::hasEnded);
            }
            Optional<String> first = state.newest();
            assertThat(first).isPresent();

            try (LocalFlink flink = LocalFlink.start(parent, 1, 1, Optional.of(state))) {
                RunningJob job = flink.resume(failing(), "failing", first);
                assertThatThrownBy(() -> job.awaitFinished(LIMIT))
                        .hasMessage("job 'failing' failed: never");
            }
            assertThat(state.newest()).isEqualTo(first);
        }
    }

    @Test
    void waitingForAFailedJobEndsWithItsError() throws Exception {
        try (LocalFlink flink = LocalFlink.start(parent, 1, 1)) {
            Configuration once = new Configuration();
            once.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(once);
            env.setParallelism(1);
            env.fromSequence(1, 10)
                    .map(
                            n -> {
                                if (n == 7) {
                                    throw new IllegalStateException("seven is not allowed");
                                }
                                return n;
                            })
                    .sinkTo(new DiscardingSink<>());
            RunningJob job = flink.submit(env, "picky");

            assertThatThrownBy(() -> job.await("pleased", LIMIT, () -> false))
                    .isInstanceOf(IOException.class)
                    .hasMessage("job 'picky' failed: seven is not allowed");
        }
    }

    /** Restores the state of {@link #endless}, and ends at the first number. */
    /** Takes no checkpoint before it fails; the first one of an interval may come at any time. */
    private static StreamExecutionEnvironment failing() {
        StreamExecutionEnvironment env =
                endless(
                        1,
                        n -> {
                            throw new SuppressRestartsException(new IllegalStateException("never"));
                        });
        env.enableCheckpointing(Duration.ofDays(1).toMillis());
        return env;
    }

    private static StreamExecutionEnvironment endless(int parallelism) {
        return endless(parallelism, n -> n);
    }

    private static StreamExecutionEnvironment endless(
            int parallelism, MapFunction<Long, Long> each) {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(parallelism);
        env.enableCheckpointing(10_000);
        env.fromSource(
                        new DataGeneratorSource<>(
                                index -> index,
                                Long.MAX_VALUE,
                                RateLimiterStrategy.perSecond(1000),
                                Types.LONG),
                        WatermarkStrategy.noWatermarks(),
                        "numbers")
                .uid("numbers")
                .keyBy(n -> n % 100)
                .reduce(Long::sum)
                .uid("sums")
                .map(each)
                .uid("each")
                .sinkTo(new DiscardingSink<>())
                .uid("sink");
        return env;
    }
}
