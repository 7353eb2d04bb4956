/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.StoredWindow;
import io.sluice.filter.forgetful.WindowOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class DeduplicatorUnionTest {

    private static final long WINDOW = 16_000;
    private static final long NOW = 1_000_000;

    private static StoredWindow at(long clock) throws IOException {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW)
                        .falsePositiveProbability(1e-3)
                        .expectedPerWindow(100)
                        .clockOfCaller()
                        .build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(1 << 24), clock);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return StoredWindow.readFrom(new ByteArrayInputStream(out.toByteArray()), "a filter");
    }

    @Test
    void inProcessingTimeClocksAreAtMostASixteenthOfTheWindowApart() throws IOException {
        assertThat(DeduplicatorUnion.reasonOfClocks(at(NOW), at(NOW + 1000))).isEmpty();
        assertThat(DeduplicatorUnion.reasonOfClocks(at(NOW), at(NOW - 1000))).isEmpty();
        assertThat(DeduplicatorUnion.reasonOfClocks(at(NOW), at(NOW + 1001)).orElseThrow())
                .contains("1970-01-01T00:16:40Z in A", "1970-01-01T00:16:41.001Z in B");
        assertThat(DeduplicatorUnion.reasonOfClocks(at(NOW), at(NOW - 1001))).isPresent();
    }

    @Test
    void aClockThatIsNotKnownIsNotApart() throws IOException {
        assertThat(DeduplicatorUnion.reasonOfClocks(at(Long.MIN_VALUE), at(NOW))).isEmpty();
        assertThat(DeduplicatorUnion.reasonOfClocks(at(NOW), at(NOW).withoutClock())).isEmpty();
    }

    @Test
    void theTimeDomainIsInTheLayout() {
        assertThat(DeduplicatorUnion.isProcessingTime("engine=x, timeDomain=PROCESSING")).isTrue();
        assertThat(DeduplicatorUnion.isProcessingTime("engine=x, timeDomain=EVENT")).isFalse();
    }
}
