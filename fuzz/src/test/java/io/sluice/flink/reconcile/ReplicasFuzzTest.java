/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.fuzz.Envelopes;
import java.io.IOException;

/** What replicas send each other, and what they keep. */
class ReplicasFuzzTest {

    @FuzzTest
    void aMessage(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> MessageFormat.read(in.readAllBytes(), source),
                MessageFormat::write);
    }

    @FuzzTest
    void anExchange(byte[] bytes) throws IOException {
        Side side = new Side(GoldenMessages.SETTINGS, 77, GoldenMessages.INCARNATION + 1);
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> ReconciliationFormat.read(in.readAllBytes(), side, source),
                ReconciliationFormat::write);
    }

    @FuzzTest
    void aKeyGroup(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> KeyGroupFormat.read(in.readAllBytes(), source),
                KeyGroupFormat::write);
    }
}
