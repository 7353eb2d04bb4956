/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.testkit.Subtasks;
import java.util.function.Supplier;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job that was drained into a savepoint and is started again from it. */
class DrainTest {

    private static final long IDS = 1000;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private Subtasks<Long, Long, Long> stream = DeduplicateFixture.subtasks(64, Backends.HASHMAP);

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    @ParameterizedTest
    @CsvSource({"false, HASHMAP", "true, HASHMAP", "true, ROCKSDB"})
    void afterADrainEverythingRememberedStaysRemembered(boolean verified, Backends backend)
            throws Exception {
        stream = DeduplicateFixture.subtasks(64, backend);
        Supplier<OneInputStreamOperator<Long, Long>> operator =
                verified ? fixture.verified() : fixture.filter();
        stream.start(2, operator);
        passAll(100);
        stream.watermark(100);
        drain();

        stream.start(3, operator);
        for (long id = 0; id < IDS; id++) {
            assertThat(stream.process(id, 200)).isEmpty();
        }
        stream.watermark(1100);
        assertThat(stream.process(1L, 1100)).as("the clock goes on from before").isEmpty();
        stream.watermark(1101);
        assertThat(stream.process(1L, 1101)).containsExactly(1L);
    }

    @Test
    void afterADrainExactStateIsClearedWhenTheWindowHasPassed() throws Exception {
        stream.start(2, fixture.verified());
        passAll(100);
        drain();
        stream.start(3, fixture.verified());
        assertThat(entries()).isEqualTo((int) IDS);
        stream.watermark(2100);
        assertThat(entries()).as("a record a window behind may need it").isEqualTo((int) IDS);
        stream.watermark(2101);
        assertThat(entries()).isZero();
    }

    @Test
    void afterADrainAFlagInStateIsStillThere() throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        stream.start(2, fixture.inState());
        for (var harness : stream.harnesses()) {
            harness.setStateTtlProcessingTime(0);
        }
        passAll(100);
        drain();
        stream.start(3, fixture.inState());
        for (var harness : stream.harnesses()) {
            harness.setStateTtlProcessingTime(999);
        }
        for (long id = 0; id < IDS; id++) {
            assertThat(stream.process(id, 200)).isEmpty();
        }
    }

    private void passAll(long time) throws Exception {
        for (long id = 0; id < IDS; id++) {
            assertThat(stream.process(id, time)).containsExactly(id);
        }
    }

    private void drain() throws Exception {
        stream.watermark(Long.MAX_VALUE);
        for (var harness : stream.harnesses()) {
            assertThat(harness.getOutput()).contains(Watermark.MAX_WATERMARK);
        }
        stream.endInput();
        stream.snapshot();
    }

    private int entries() {
        return stream.harnesses().stream().mapToInt(h -> h.numKeyedStateEntries()).sum();
    }
}
