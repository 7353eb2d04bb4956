/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.fuzz.Envelopes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;

/** The attacks and tallies of a key group. */
class AttacksFuzzTest {

    private static final int PARTIES = 100;

    @FuzzTest
    void scans(byte[] bytes) throws IOException {
        readAndWatch(AttackKind.SCAN, bytes);
    }

    @FuzzTest
    void floods(byte[] bytes) throws IOException {
        readAndWatch(AttackKind.SYN_FLOOD, bytes);
    }

    private static void readAndWatch(AttackKind kind, byte[] bytes) throws IOException {
        AttackSettings settings =
                new AttackSettings(
                        kind,
                        Duration.ofSeconds(2),
                        10,
                        0.25,
                        Duration.ofSeconds(5),
                        PARTIES,
                        false);
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> AttackWatchFormat.read(in, source, settings, new Room(PARTIES)),
                watch -> {
                    watch.advance(5_000, alert -> {});
                    watch.advance(9_000, alert -> {});
                    watch.endInput(alert -> {});
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    AttackWatchFormat.write(watch, out);
                    return out.toByteArray();
                });
    }
}
