/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.report.DemoReport;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlertRecordsTest {
    private static final long FIRST = 1_520_000_000_000L;
    private static final long LAST = FIRST + 60_000;

    private final AlertRecords records = new AlertRecords();

    @Test
    void noAttackIsOverLaterThanTheCaptureIs() throws IOException {
        add("scan", "raised", "\"targets\":101", 150, 20_000);
        add("scan", "cleared", "\"targets\":190", 200, 180_000);

        assertThat(attacks()).extracting(DemoReport.Attack::clearedSeconds).containsExactly(-1.0);
        assertThat(attacks()).extracting(DemoReport.Attack::attempts).containsExactly(200L);
    }

    @Test
    void anAttackThatIsOverInTheCaptureSaysWhen() throws IOException {
        add("syn-flood", "raised", "\"port\":80", 500, 10_000);
        add("syn-flood", "cleared", "\"port\":80", 900, 59_000);

        assertThat(attacks()).extracting(DemoReport.Attack::clearedSeconds).containsExactly(59.0);
    }

    @Test
    void aScanAsksNoMoreServicesThanItMakesAttempts() throws IOException {
        add("scan", "raised", "\"targets\":101", 100, 20_000);
        add("scan", "cleared", "\"targets\":204", 200, 50_000);

        assertThat(attacks()).extracting(DemoReport.Attack::targets).containsExactly(200L);
    }

    private List<DemoReport.Attack> attacks() {
        return records.attacks(FIRST, LAST);
    }

    private void add(String kind, String status, String what, long attempts, long afterMillis)
            throws IOException {
        // The port and the number of services tell only for floods which alerts belong together.
        String json =
                """
                {"version":2,"alert":"%s","status":"%s","address":"192.0.2.8",%s,"attempts":%d,
                 "completed":0,"refused":0,"first":%d,"timestamp":%d}
                """
                        .formatted(kind, status, what, attempts, FIRST + 100, FIRST + afterMillis);
        records.add(new ObjectMapper().readTree(json));
    }
}
