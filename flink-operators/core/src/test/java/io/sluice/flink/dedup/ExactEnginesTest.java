/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.Backends;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The engines that keep exact state: verification, and a flag per id. */
class ExactEnginesTest {

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private Subtasks<Long, Long, Long> stream = DeduplicateFixture.subtasks(64, Backends.HASHMAP);

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private int entries() {
        return stream.harnesses().stream().mapToInt(h -> h.numKeyedStateEntries()).sum();
    }

    @Test
    void verificationForgetsWithTheWatermark() throws Exception {
        stream.start(2, fixture.verified());
        for (long id = 0; id < 100; id++) {
            assertThat(stream.process(id, 10)).containsExactly(id);
            assertThat(stream.process(id, 10)).isEmpty();
        }
        assertThat(entries()).isEqualTo(100);
        stream.watermark(2010);
        assertThat(entries()).as("a record a window behind may need it").isEqualTo(100);
        stream.watermark(2011);
        assertThat(entries()).isZero();
    }

    @Test
    void verificationKeepsWhatALongerWindowNeeds() throws Exception {
        stream.start(2, fixture.verified());
        stream.process(1L, 10);
        stream.snapshot();
        fixture.window = Duration.ofSeconds(3);
        stream.start(3, fixture.verified());
        stream.watermark(2011);
        assertThat(entries()).isEqualTo(1);
        stream.watermark(3010);
        assertThat(stream.process(1L, 3010)).isEmpty();
        stream.watermark(6010);
        assertThat(entries()).isEqualTo(1);
        stream.watermark(6011);
        assertThat(entries()).isZero();
    }

    @Test
    void verificationInProcessingTimeOutlivesADowntime() throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(1_000_000);
        stream.start(2, fixture.verified());
        stream.process(1L, 0);
        stream.processingTime(1_000_400);
        stream.snapshot();
        stream.downUntil(5_000_000);
        stream.start(3, fixture.verified());
        stream.processingTime(5_000_600);
        assertThat(stream.process(1L, 0)).isEmpty();
        assertThat(entries()).isEqualTo(1);
        stream.processingTime(5_000_601);
        assertThat(entries()).isZero();
        assertThat(stream.process(1L, 0)).containsExactly(1L);
    }

    @Test
    void verificationRefusesTimersInRawKeyedState() {
        stream = DeduplicateFixture.subtasks(64, Backends.ROCKSDB_HEAP_TIMERS);
        assertThatThrownBy(() -> stream.start(1, fixture.verified()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("operator under test", "timer-service.factory", "ROCKSDB");
    }

    @Test
    void aFlagInStateLivesForTheWindowAndIsRescaled() throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        stream.start(2, fixture.inState());
        for (var harness : stream.harnesses()) {
            harness.setStateTtlProcessingTime(0);
        }
        assertThat(stream.process(1L, 0)).containsExactly(1L);
        assertThat(stream.process(1L, 0)).isEmpty();
        stream.snapshot();
        stream.start(3, fixture.inState());
        for (var harness : stream.harnesses()) {
            harness.setStateTtlProcessingTime(999);
        }
        assertThat(stream.process(1L, 0)).isEmpty();
        for (var harness : stream.harnesses()) {
            harness.setStateTtlProcessingTime(1001);
        }
        assertThat(stream.process(1L, 0)).containsExactly(1L);
        assertThat(stream.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(1);
    }
}
