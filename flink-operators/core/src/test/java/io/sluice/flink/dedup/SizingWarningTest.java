/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.LoggedLines;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.runtime.HeapCheck;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

class SizingWarningTest {

    private static final MemorySize QUARTER_GIG = MemorySize.ofMebiBytes(256);

    @Test
    void buildersWarnAtConstructionOfTheParallelismThatTheJobHas() {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(4);
        DataStream<Long> ids = env.fromData(1L, 2L);
        try (LoggedLines lines = LoggedLines.of(SizingWarning.class)) {
            Deduplicate.by((Long id) -> id)
                    .idType(Types.LONG)
                    .uid("small-dedup")
                    .hashSeed(17)
                    .within(Duration.ofHours(6))
                    .expecting(50_000)
                    .apply(ids);
            IdempotentCounters.of((Long id) -> id % 10)
                    .counterType(Types.LONG)
                    .operation(id -> id, Types.LONG)
                    .uid("small-counters")
                    .within(Duration.ofHours(6))
                    .expecting(50_000)
                    .apply(ids);

            assertThat(lines.all()).hasSize(2);
            assertThat(lines.all().get(0)).contains("WARN", "'small-dedup'", "of 4 subtasks");
            assertThat(lines.all().get(1)).contains("WARN", "'small-counters'");
        }
    }

    private static void tooLarge(DataStream<Long> ids) {
        Deduplicate.by((Long id) -> id)
                .idType(Types.LONG)
                .uid("too-large")
                .hashSeed(17)
                .within(Duration.ofHours(6))
                .expecting(50_000)
                .apply(ids);
    }

    @Test
    void whatMayRunInBatchExecutionIsNotWarnedOfAtConstruction() {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        DataStream<Long> unbounded =
                env.fromSource(
                        new DataGeneratorSource<>(n -> n, 10, Types.LONG) {
                            @Override
                            public Boundedness getBoundedness() {
                                return Boundedness.CONTINUOUS_UNBOUNDED;
                            }
                        },
                        WatermarkStrategy.noWatermarks(),
                        "unbounded");
        try (LoggedLines lines = LoggedLines.of(SizingWarning.class)) {
            env.setRuntimeMode(RuntimeExecutionMode.BATCH);
            tooLarge(env.fromSequence(1, 2));
            env.setRuntimeMode(RuntimeExecutionMode.AUTOMATIC);
            tooLarge(env.fromSequence(1, 2));
            assertThat(lines.all()).isEmpty();

            tooLarge(unbounded);
            assertThat(lines.all()).hasSize(1);
            env.setRuntimeMode(RuntimeExecutionMode.STREAMING);
            tooLarge(env.fromSequence(1, 2));
            assertThat(lines.all()).hasSize(2);
        }
    }

    @Test
    void whatHasNoFilterOrFitsIsNotWarnedOfAtConstruction() {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        DataStream<Long> ids = env.fromData(1L, 2L);
        try (LoggedLines lines = LoggedLines.of(SizingWarning.class)) {
            Deduplicate.by((Long id) -> id)
                    .idType(Types.LONG)
                    .uid("state")
                    .timeDomain(TimeDomain.PROCESSING)
                    .inState()
                    .within(Duration.ofHours(6))
                    .expecting(50_000)
                    .apply(ids);
            IdempotentCounters.of((Long id) -> id % 10)
                    .counterType(Types.LONG)
                    .withoutFilter()
                    .uid("plain")
                    .within(Duration.ofHours(6))
                    .expecting(50_000)
                    .apply(ids);
            Deduplicate.by((Long id) -> id)
                    .idType(Types.LONG)
                    .uid("on disk, without an option that is only for memory")
                    .within(Duration.ofHours(6))
                    .expecting(50_000)
                    .apply(ids);
            Deduplicate.by((Long id) -> id)
                    .idType(Types.LONG)
                    .uid("fits")
                    .within(Duration.ofHours(1))
                    .expecting(10_000)
                    .apply(ids);

            assertThat(lines.all()).isEmpty();
        }
    }

    @Test
    void anOperatorWarnsOnceAtItsStartAndShowsTheNeedInEverySubtask() throws Exception {
        DeduplicateFixture fixture = new DeduplicateFixture();
        fixture.window = Duration.ofHours(6);
        fixture.fpp = 1e-6;
        fixture.idsPerSecond = 50_000;
        fixture.memory = QUARTER_GIG;
        Subtasks<Long, Long, Long> stream = DeduplicateFixture.subtasks(100, Backends.HASHMAP);
        try (LoggedLines lines = LoggedLines.of(SizingWarning.class)) {
            stream.start(3, fixture.filter());
            stream.process(5L, 1000);
            stream.snapshot();

            long need = new SizingCheck(fixture.settings(), 3, 100).bytesNeeded();
            for (int subtask = 0; subtask < 3; subtask++) {
                assertThat(stream.gauge(subtask, SizingWarning.EXPECTED_BYTES, Long.class))
                        .isEqualTo(need);
            }
            assertThat(lines.all()).hasSize(1);
            assertThat(lines.all().get(0)).contains("WARN", "of 3 subtasks");

            fixture.idsPerSecond = 50;
            stream.start(3, fixture.filter());
            assertThat(lines.all()).hasSize(1);
        }
        stream.close();
    }

    @Test
    void anOperatorChecksTheHeapOnceForAllItsSubtasks() throws Exception {
        DeduplicateFixture fixture = new DeduplicateFixture();
        fixture.memory = new MemorySize(2 * Runtime.getRuntime().maxMemory());
        try (Subtasks<Long, Long, Long> stream =
                        DeduplicateFixture.subtasks(100, Backends.HASHMAP);
                LoggedLines lines = LoggedLines.of(HeapCheck.class)) {
            stream.start(3, fixture.filter());

            assertThat(lines.all()).hasSize(1);
            assertThat(lines.all().get(0)).contains("WARN", "for 1 slot");
        }
    }
}
