/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InsertionCurveTest {
    @TempDir Path directory;

    @Test
    void allKeysGoInAndPointsAddUp() throws IOException {
        try (PagedBloomFile filter =
                new PagedBloomFile(directory.resolve("b"), 32_000, 0.01, 1 << 20)) {
            InsertionCurve curve =
                    InsertionCurve.run(filter, filter::add, new KeySource(0), 16, 32_000, 600);
            assertThat(curve.keys()).isEqualTo(32_000);
            assertThat(curve.points()).hasSizeGreaterThan(100);
            long before = 0;
            double seconds = 0;
            for (InsertionCurve.Point point : curve.points()) {
                assertThat(point.keys()).isGreaterThan(before);
                assertThat(point.perSecond() * (point.seconds() - seconds))
                        .isCloseTo(
                                (double) (point.keys() - before), Percentage.withPercentage(0.1));
                before = point.keys();
                seconds = point.seconds();
            }
            assertThat(curve.longestMillis()).isPositive();
            assertThat(curve.perSecondSettled()).isLessThanOrEqualTo(curve.perSecond());
        }
    }

    @Test
    void aSlowStructureStopsInTime() throws IOException {
        try (PagedBloomFile filter =
                new PagedBloomFile(directory.resolve("b"), 1_000_000, 0.001, 4096)) {
            InsertionCurve curve =
                    InsertionCurve.run(filter, filter::add, new KeySource(0), 16, 1L << 40, 0.1);
            assertThat(curve.keys()).isPositive().isLessThan(1_000_000_000L);
        }
    }
}
