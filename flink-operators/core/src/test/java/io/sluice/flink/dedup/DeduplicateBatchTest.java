/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A batch changes only when a record is decided. */
class DeduplicateBatchTest {

    private static final long DELAY = 5;

    private final List<KeyedOneInputStreamOperatorTestHarness<Long, Long, Long>> open =
            new ArrayList<>();
    private final DeduplicateFixture fixture = new DeduplicateFixture();

    @BeforeEach
    void lateRecordsGoAside() {
        fixture.onLate = OnLate.sideOutput(DeduplicateFixture.LATE);
        fixture.onDuplicate = OnDuplicate.sideOutput(DeduplicateFixture.DUPLICATES);
    }

    private KeyedOneInputStreamOperatorTestHarness<Long, Long, Long> harness(int records)
            throws Exception {
        fixture.batching = new Batching(records, DELAY);
        var harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        fixture.filter().get(), DeduplicateFixture.identity(), Types.LONG, 7, 1, 0);
        open.add(harness);
        harness.open();
        return harness;
    }

    @AfterEach
    void close() throws Exception {
        for (var harness : open) {
            harness.close();
        }
    }

    @Test
    void recordsWaitUntilTheBatchIsFull() throws Exception {
        var harness = harness(3);
        harness.processElement(1L, 0);
        harness.processElement(1L, 1);
        assertThat(harness.getOutput()).isEmpty();
        harness.processElement(2L, 2);
        assertThat(harness.extractOutputValues()).containsExactly(1L, 2L);
    }

    @Test
    void recordsWaitNoLongerThanTheDelay() throws Exception {
        var harness = harness(100);
        harness.setProcessingTime(1_000);
        harness.processElement(1L, 0);
        harness.setProcessingTime(1_000 + DELAY - 1);
        assertThat(harness.getOutput()).isEmpty();
        harness.setProcessingTime(1_000 + DELAY);
        assertThat(harness.extractOutputValues()).containsExactly(1L);
        harness.processElement(2L, 0);
        harness.setProcessingTime(1_000 + 2 * DELAY);
        assertThat(harness.extractOutputValues()).containsExactly(1L, 2L);
    }

    @Test
    void nothingOvertakesARecord() throws Exception {
        var harness = harness(100);
        var operator = harness.getOneInputOperator();
        harness.processElement(1L, 0);
        harness.processWatermark(new Watermark(10));
        harness.processElement(2L, 20);
        operator.processWatermarkStatus(WatermarkStatus.IDLE);
        harness.processElement(3L, 20);
        operator.processLatencyMarker(new LatencyMarker(1, new OperatorID(), 0));
        harness.processElement(4L, 20);
        harness.prepareSnapshotPreBarrier(1);
        assertThat(harness.extractOutputValues()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(harness.getOutput().toArray()[1]).isEqualTo(new Watermark(10));
        harness.processElement(5L, 20);
        operator.finish();
        assertThat(harness.extractOutputValues()).endsWith(5L);
    }

    /** Main output, watermarks, duplicates and late records: all in the same order. */
    @Test
    void decidesWhatIsDecidedWithoutBatches() throws Exception {
        for (int run = 0; run < 30; run++) {
            int records = 2 + (int) (Seeds.seed(run) % 40);
            assertThat(outputs(run, records)).as("run %d", run).isEqualTo(outputs(run, 1));
        }
    }

    private List<Object> outputs(int run, int batchRecords) throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.seed(run));
        fixture.window = Duration.ofMillis(1 + random.nextInt(500));
        fixture.timeDomain = random.nextBoolean() ? TimeDomain.EVENT : TimeDomain.PROCESSING;
        List<Object> outputs = new ArrayList<>();
        var harness = harness(batchRecords);
        long time = 0;
        for (int i = 0; i < 2_000; i++) {
            int dice = random.nextInt(100);
            if (dice < 96) {
                time += random.nextInt(3);
                long timestamp = Math.max(0, time - random.nextInt(400));
                harness.processElement(new StreamRecord<>((long) random.nextInt(300), timestamp));
            } else if (dice < 99) {
                harness.processWatermark(time - random.nextInt(300));
            } else {
                // Only if nothing waits: in processing time a batch is decided later.
                harness.prepareSnapshotPreBarrier(i);
                harness.setProcessingTime(time);
                harness.snapshot(i, i);
            }
        }
        harness.prepareSnapshotPreBarrier(3_000);
        outputs.addAll(harness.getOutput());
        for (var tag : List.of(DeduplicateFixture.DUPLICATES, DeduplicateFixture.LATE)) {
            var side = harness.getSideOutput(tag);
            outputs.add(side == null ? List.of() : List.copyOf(side));
        }
        assertThat(outputs).hasSizeGreaterThan(100);
        return outputs;
    }

    @Test
    void refusesImpossibleBatches() {
        assertThatThrownBy(() -> new Batching(0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 1024");
        assertThatThrownBy(() -> new Batching(1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1 ms");
    }
}
