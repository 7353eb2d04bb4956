/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.fuzz.Envelopes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** The flows of a key group: counts, then a store, then totals. */
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

    @FuzzTest
    void totalsOfFlows(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> TotalsTable.readFrom(in, source, StoreMemory.unlimited()),
                FlowsFuzzTest::use);
    }

    private static byte[] use(TotalsTable totals) throws IOException {
        for (int flow = 0; flow < 30; flow++) {
            long hash = Hashing.hash(flow % 10);
            int row = totals.begin(hash, null, flow % 2 == 0, flow);
            totals.add(row, flow % 3 == 0, Long.MAX_VALUE, flow, -flow);
            if (flow % 4 == 0) {
                totals.remove(totals.find(hash));
            }
        }
        for (int row = 0; row < totals.flows(); row++) {
            FlowTotals unused = totals.totals(row, totals.isFirstFromLower(row));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        totals.writeTo(out);
        return out.toByteArray();
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
