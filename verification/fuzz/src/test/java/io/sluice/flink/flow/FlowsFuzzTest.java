/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.hash.Hashing;
import io.sluice.fuzz.Envelopes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** The flows of a key group: counts, then a store. */
class FlowsFuzzTest {

    @FuzzTest
    void anExactStore(byte[] bytes) throws IOException {
        readAndFollow("v2-exact", bytes);
    }

    @FuzzTest
    void aGenerationalStore(byte[] bytes) throws IOException {
        readAndFollow("v1-kbf", bytes);
    }

    @FuzzTest
    void aStoreOfFingerprints(byte[] bytes) throws IOException {
        readAndFollow("v1-fingerprints", bytes);
    }

    private static void readAndFollow(String like, byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> GoldenFlows.read(like, in, source),
                FlowsFuzzTest::use);
    }

    private static byte[] use(FlowTracker tracker) throws IOException {
        for (int flow = 0; flow < 30; flow++) {
            tracker.advance(60_000L + 100L * flow);
            tracker.follow(Hashing.hash(flow % 10), flow % 2 == 0, 1 << flow % 5, 60_000L + flow);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        tracker.writeTo(out);
        return out.toByteArray();
    }
}
