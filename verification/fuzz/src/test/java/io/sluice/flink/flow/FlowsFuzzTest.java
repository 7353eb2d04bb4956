/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.GenerationalStore;
import io.sluice.flink.machine.store.KeyValueGenerations;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.StoreSettings;
import io.sluice.flink.machine.store.WhenFull;
import io.sluice.fuzz.Envelopes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.configuration.MemorySize;

/** The flows of a key group: counts, then a store, then totals. */
class FlowsFuzzTest {

    private interface StoreReader {
        StateStore read(InputStream in, String source) throws IOException;
    }

    @FuzzTest
    void anExactStore(byte[] bytes) throws IOException {
        readAndFollow(
                bytes,
                (in, source) ->
                        ExactStore.readFrom(
                                in,
                                source,
                                FlowTimeouts.DEFAULT.states(),
                                StoreMemory.unlimited()));
    }

    @FuzzTest
    void aGenerationalStore(byte[] bytes) throws IOException {
        readAndFollow(
                bytes,
                (in, source) ->
                        GenerationalStore.readFrom(
                                in,
                                source,
                                new KeyValueGenerations(
                                        96, 7, Storage.HEAP, IdleClass.frequencies()),
                                FlowTimeouts.DEFAULT.states(),
                                StoreMemory.unlimited(),
                                16));
    }

    @FuzzTest
    void aStoreOfFingerprints(byte[] bytes) throws IOException {
        StoreSettings.Stores stores =
                new FlowSettings(
                                StoreKind.FINGERPRINTS,
                                FlowTimeouts.DEFAULT,
                                50,
                                96,
                                MemorySize.ofMebiBytes(16),
                                WhenFull.IGNORE,
                                true,
                                null)
                        .stores()
                        .stores(1, StoreMemory.unlimited());
        readAndFollow(bytes, stores::read);
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

    private static void readAndFollow(byte[] bytes, StoreReader store) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> {
                    FlowCounts counts = FlowCounts.readFrom(in, source);
                    return new FlowTracker(
                            new ConnectionMachine(true),
                            store.read(in, source),
                            counts,
                            FlowTracker.TimedOut.IGNORE);
                },
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
