/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MinuteLogTest {

    private final List<String> lines = new ArrayList<>();
    private final MinuteLog log = new MinuteLog(lines::add);
    private int asked;

    private void write(long now) {
        log.write(
                now,
                () -> {
                    asked++;
                    return "at " + now;
                });
    }

    @Test
    void aLineIsWrittenAtMostOnceAMinute() {
        for (long now = 5; now <= 120_005; now += 1_000) {
            write(now);
        }
        assertThat(lines).containsExactly("at 5", "at 60005", "at 120005");
        assertThat(asked).as("messages are made for lines only").isEqualTo(3);
    }

    @Test
    void theFirstLineIsWrittenWhateverTheTime() {
        write(Long.MIN_VALUE);
        assertThat(lines).hasSize(1);
    }

    @Test
    void aClockThatIsSetBackNeitherSilencesNorOpensTheLog() {
        write(10_000_000);
        write(9_999_000);
        write(10_000_500);
        assertThat(lines).hasSize(1);
        write(1_000_000);
        write(1_000_100);
        assertThat(lines).containsExactly("at 10000000", "at 1000000");
    }
}
