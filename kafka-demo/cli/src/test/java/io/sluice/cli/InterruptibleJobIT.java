/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterruptibleJobIT {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir Path folder;

    @Test
    void anInterruptWhileTasksInitializeCancelsTheJobAndTellsItInOneLine() throws Exception {
        StringWriter text = new StringWriter();
        PrintWriter err = new PrintWriter(text);
        InterruptibleJob interruptible = new InterruptibleJob(false, err);
        try (LocalFlink flink = LocalFlink.start(folder, 1, 1)) {
            RunningJob job = flink.submit(jobThatNeverFinishesItsOpening(), "opens");
            InitializesForEver.OPENING.await();

            interruptible.follows(job);
            interruptible.interrupt();

            assertThatThrownBy(() -> job.awaitFinished(LIMIT)).isInstanceOf(IOException.class);
            assertThat(job.hasEnded()).isTrue();
        }
        assertThat(interruptible.isCancelled()).isTrue();
        err.flush();
        assertThat(text.toString())
                .isEqualToIgnoringNewLines("sluice: interrupted before the job had started");
    }

    private static StreamExecutionEnvironment jobThatNeverFinishesItsOpening() {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        environment.setParallelism(1);
        environment
                .fromSequence(1, 10)
                .map(new InitializesForEver())
                .sinkTo(new DiscardingSink<>());
        return environment;
    }

    /** Stays in the state INITIALIZING until its task is cancelled. */
    private static final class InitializesForEver extends RichMapFunction<Long, Long> {
        private static final long serialVersionUID = 1L;
        private static final CountDownLatch OPENING = new CountDownLatch(1);

        @Override
        public void open(OpenContext context) throws InterruptedException {
            OPENING.countDown();
            new CountDownLatch(1).await();
        }

        @Override
        public Long map(Long value) {
            return value;
        }
    }
}
