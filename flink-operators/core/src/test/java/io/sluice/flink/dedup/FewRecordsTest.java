/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.testkit.DeduplicationTruth;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream with far fewer records than it was sized for. */
class FewRecordsTest {

    /** Each id comes in pairs, and again after three windows: that one is a first occurrence. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 128})
    void anIdThatComesAgainAfterItsWindowPasses(int keyGroups) throws Exception {
        DeduplicateFixture fixture = new DeduplicateFixture();
        fixture.window = Duration.ofSeconds(8);
        fixture.idsPerSecond = 10_000;
        DeduplicationTruth<Long> truth = new DeduplicationTruth<>(fixture.window);
        try (Subtasks<Long, Long, Long> stream =
                DeduplicateFixture.subtasks(keyGroups, Backends.HASHMAP)) {
            stream.start(1, fixture.filter());
            for (long time = 0; time < 400_000; time += 100) {
                long id = time / 100 % 240;
                for (int copy = 0; copy < 2; copy++) {
                    truth.in(id, time + copy);
                    for (long passed : stream.process(id, time + copy)) {
                        truth.out(passed, time + copy);
                    }
                }
                stream.watermark(time);
            }
        }
        truth.judge(fixture.fpp).require();
        assertThat(truth.judge(fixture.fpp).out()).isEqualTo(4_000);
    }
}
