/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A function that waits for the watermark says so if it stands still while rows come. */
class StalledWatermarkTest {

    private static final long MINUTE = 60_000;

    private static final long START = 1_700_000_000_000L;

    private static final String ON_TIME =
            "(input => TABLE records PARTITION BY id, on_time => DESCRIPTOR(`at`)";

    private final List<String> lines = new ArrayList<>();

    private final WatermarkWatch watch =
            new WatermarkWatch("DEDUPLICATE_KEEP_FIRST", lines::add, START);

    private void rowsUntil(long minutes, Long watermark) {
        for (long millis = 0; millis <= minutes * MINUTE; millis += 500) {
            watch.row(watermark, START + millis);
        }
    }

    @Test
    void rowsThatWaitForAWatermarkThatNeverComesAreToldOf() {
        rowsUntil(3, null);
        assertThat(watch.stalledMillis()).isEqualTo(3 * MINUTE);
        assertThat(lines)
                .isNotEmpty()
                .allSatisfy(
                        line ->
                                assertThat(line)
                                        .contains(
                                                "DEDUPLICATE_KEEP_FIRST",
                                                "no watermark has come at all",
                                                "table.exec.source.idle-timeout"));
        watch.row(500L, START + 4 * MINUTE);
        assertThat(watch.stalledMillis()).isZero();
    }

    @Test
    void aWatermarkThatMovesIsNotToldOf() {
        for (long millis = 0; millis <= 10 * MINUTE; millis += 500) {
            watch.row(START + millis - 5 * MINUTE, START + millis);
        }
        assertThat(watch.stalledMillis()).isZero();
        assertThat(lines).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DEDUPLICATE_KEEP_FIRST" + ON_TIME + ")",
                "DEDUPLICATE_WINDOW" + ON_TIME + ", duration => INTERVAL '1' HOUR)"
            })
    void functionsInEventTimeHaveTheMetric(String call) throws Exception {
        try (Operator operator = Operator.start(call, Backend.HASHMAP.make(), null)) {
            operator.at(0, "a", 1, "waits", 1000);
            assertThat(operator.stalledMillis()).isZero();
        }
    }
}
